// Runs a script that uses the whole language: closures, classes, generators, proxies, regular expressions, big numbers.
#include "quickjs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
    "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);\n"
    "print('fib', fib(size));\n"
    "let seed = 42; const random = n => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;\n"
    "const list = Array.from({length: size * 200}, () => random(1000000));\n"
    "print('sort', [...list].sort().slice(0, 3), list.sort((a, b) => a - b).slice(0, 3), list.at(-1));\n"
    "function* walk(n) { for (let i = 0; i < n; i++) { try { yield i * i } finally { if (i == 3) return 'end' } } }\n"
    "print('generator', [...walk(10)], [...'\\u{1f600}ab'].length);\n"
    "class A { #x = 1; static count = 0; constructor(x) { this.#x = x; A.count++ } get x() { return this.#x } toString() { return `A(${this.x})` } }\n"
    "class B extends A { constructor() { super(7) } get x() { return super.x * 2 } }\n"
    "print(`${new B()} ${new A('y')} ${A.count}`, new B() instanceof A);\n"
    "const words = new Map(); for (const w of 'the quick brown fox jumps over the lazy dog and the cat'.split(' ')) words.set(w, (words.get(w) ?? 0) + 1);\n"
    "print(JSON.stringify([...words].sort()), JSON.stringify({a: [1, {b: null}], c: 'q\"\\n', d: undefined}, null, 1));\n"
    "print('2024-02-29 x 1999-12-31'.replace(/(?<y>\\d+)-(?<m>\\d+)-(\\d+)/gu, '$3.$<m>.$<y>'), 'aBc'.match(/(?<=a)b(?=c)/i).index, /^(a+)+$/.test('aaaaaaaaaaaaaaab'));\n"
    "print(0.1 + 0.2, 1e21, 1e-7, 123456789012345680000, 5e-324, (255).toString(16), (0.5).toString(3), (1234.5678).toFixed(2), 1 / 3, -0, NaN, (25).toPrecision(1), parseFloat('3.14abc'));\n"
    "let big = 1n; for (let i = 1n; i <= BigInt(size * 4); i++) big *= i;\n"
    "print('factorial', big.toString().length, big % 1000000007n, big >> 100n, BigInt.asUintN(64, -big), (-7n) / 2n, 3n ** 100n, big.toString(36).slice(0, 20));\n"
    "print(7 >>> 1, -7 >> 1, -7 >>> 28, 1 << 33, ~5, 5 & 6 | 8 ^ 3, 7 % -3, -7 % 3, 2 ** 0.5, 2 ** 62, Math.imul(0x7fffffff, 5), Math.clz32(1), Math.fround(0.1), Math.hypot(3, 4));\n"
    "const bytes = new Uint8Array(16), view = new DataView(bytes.buffer); view.setFloat64(0, Math.PI); view.setInt32(8, -2, true); view.setUint16(12, 65535);\n"
    "print(bytes, new Float32Array(bytes.buffer)[0], new Int16Array([70000, -1, 1.9]), new Uint8ClampedArray([300, -4, 1.5]));\n"
    "const proxy = new Proxy({}, {get: (t, k) => String(k) + '!', has: () => true}); print(proxy.hello, 'any' in proxy);\n"
    "const {a, ...rest} = {a: 1, b: 2, c: [3, [4]]}; print(a, rest.c.flat(), Object.entries(rest).length, [1, [2, [3]]].toString());\n"
    "try { null.x } catch (e) { print(e.name, e instanceof TypeError) } try { eval('let 1') } catch (e) { print(e.name) }\n"
    "const deep = () => deep() + 1; try { deep() } catch (e) { print('deep', e.name) }\n"
    "Promise.resolve(5).then(v => { print('then', v); throw new Error('x') }).catch(e => print('caught', e.message)).finally(() => print('finally'));\n"
    "(async () => { for await (const v of (async function* () { yield 1; yield 2 })()) print('await', v) })();\n"
    "function queens(n) { let count = 0; (function place(row, c, u, d) { if (row == n) { count++; return } for (let i = 0; i < n; i++) { const a = 1 << i, b = 1 << (row + i), e = 1 << (row - i + n); if (!(c & a | u & b | d & e)) place(row + 1, c | a, u | b, d | e) } })(0, 0, 0, 0); return count }\n"
    "print('queens', queens(7));\n"
    "let total = 0; for (let i = -20; i <= 10; i++) for (let j = -10; j <= 10; j++) { let x = 0, y = 0, n = 0; while (x * x + y * y < 4 && n < 50) { [x, y] = [x * x - y * y + i / 10, 2 * x * y + j / 10]; n++ } total += n }\n"
    "print('mandelbrot', total);\n"
    "print('\\u00c4\\u00df'.toLowerCase(), '\\u00df'.toUpperCase(), 'e\\u0301'.normalize('NFC').length, 'abc'.padStart(6, '12'), 'x'.codePointAt(0), escape('\\u00e4 b'), encodeURIComponent('\\u20ac'));\n"
    "print(new Date(Date.UTC(2001, 1, 3, 4, 5, 6, 7)).toISOString(), new Date('2020-02-30T00:00:00Z').getTime(), Date.UTC(1969, 11, 31));\n"
    "const w = new WeakMap(); for (let i = 0; i < size * 50; i++) w.set({}, i);\n"
    "let h = 0; for (const c of list.join(',')) h = (h * 31 + c.charCodeAt(0)) | 0; print('hash', h);\n"
    "switch ('b') { case 'a': print(1); case 'b': print(2); case 'c': print(3); break; default: print(4) } outer: for (let i = 0;; i++) for (;;) { if (i > 3) break outer; continue outer }\n";

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values) {
    for (int i = 0; i < count; i++) {
        const char *text = JS_ToCString(context, values[i]);
        if (!text) return JS_EXCEPTION;
        printf("%s%s", i ? " " : "", text);
        JS_FreeCString(context, text);
    }
    printf("\n");
    return JS_UNDEFINED;
}

static void complain(JSContext *context) {
    JSValue error = JS_GetException(context);
    const char *text = JS_ToCString(context, error);
    printf("error: %s\n", text ? text : "?");
    exit(1);
}

int main(int count, char **arguments) {
    JSRuntime *runtime = JS_NewRuntime();
    // Frames of code that is not optimised are large; less than what a process has.
    JS_SetMaxStackSize(runtime, 4 << 20);
    JSContext *context = JS_NewContext(runtime), *other;
    JSValue global = JS_GetGlobalObject(context);
    JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
    JS_SetPropertyStr(context, global, "size", JS_NewInt32(context, count > 1 ? atoi(arguments[1]) : 10));
    JSValue value = JS_Eval(context, script, strlen(script), "script", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(value)) complain(context);
    int result;
    while ((result = JS_ExecutePendingJob(runtime, &other)) > 0) {}
    if (result < 0) complain(other);
    JS_FreeValue(context, value);
    JS_FreeValue(context, global);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    return 0;
}
