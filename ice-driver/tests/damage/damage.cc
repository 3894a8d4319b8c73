// Invokes and landing pads with all kinds of clauses, for damage.
extern "C" int may(int);
struct Guard { int n; ~Guard() { may(n); } };
struct Two { long a, b; };
Two two(int);
struct Type { virtual ~Type(); };

int catches(int n, int (*through)(int, double)) throw(int, Type) {
    Guard outer{n};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        try {
            Guard inner{i};
            Two pair = two(i);
            sum += pair.a + pair.b + through(i, 1.5);
        } catch (int k) {
            sum -= k;
        } catch (Type &) {
            throw;
        } catch (...) {
            sum ^= may(sum);
        }
    }
    return sum;
}

void ends(int n) noexcept { may(n); }
