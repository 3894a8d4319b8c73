// Calls with floating-point numbers of every kind, from one file to the other.
typedef float V4 __attribute__((vector_size(16)));
typedef float V2 __attribute__((vector_size(8)));
struct F1 { float x; };
struct F4 { float x, y, z, w; };
struct D2 { double x, y; };
struct M { char c; double d; float f; };

float mixed(float a, double b, float c, int d, double e, long long f, float g, V2 h);
double late(int a, int b, int c, double d, float e, double f);
V4 vectors(V4 a, int b, V4 c, V2 d);
V4 split(int a, int b, V4 c);
V2 half(V2 a, float b);
struct F1 one(struct F1 a);
struct F4 four(float a, struct F4 b, int c, struct D2 d);
struct D2 two(struct D2 a, struct D2 b);
struct M memory(struct M a, float b);
double _Complex complex(double _Complex a, float b);
double sum(int count, ...);
double apply(double (*f)(float, double), double x);
long long whole(double x, float y);
double floor(double x);
double rounded(double x);
int caller(void);
