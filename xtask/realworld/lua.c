// Runs scripts that use the whole language: closures, coroutines, metatables, errors, strings, numbers.
#include <stdio.h>
#include <stdlib.h>
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

static const char script[] =
    "local size = tonumber(arg)\n"
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "print('fib', fib(size))\n"
    "local t = {}\n"
    "local seed = 42\n"
    "local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n + 1 end\n"
    "for i = 1, size * 500 do t[i] = random(1000000) end\n"
    "table.sort(t)\n"
    "print('sort', t[1], t[#t // 2], t[#t])\n"
    "table.sort(t, function(a, b) if a % 10 ~= b % 10 then return a % 10 < b % 10 end return a > b end)\n"
    "print('sort', t[1], t[#t // 2], t[#t])\n"
    "local words = {}\n"
    "for w in ('the quick brown fox jumps over the lazy dog and the cat'):gmatch('%a+') do words[w] = (words[w] or 0) + 1 end\n"
    "local keys = {}\n"
    "for k in pairs(words) do keys[#keys + 1] = k end\n"
    "table.sort(keys)\n"
    "for _, k in ipairs(keys) do io.write(k, '=', words[k], ' ') end print()\n"
    "print(('hello world'):gsub('(%w+) (%w+)', '%2 %1'))\n"
    "print(string.format('%5.2f|%-8s|%08.3e|%x|%q|%g', 3.14159, 'left', 12345.678, 255, 'a\\n\"b\"', 1e100))\n"
    "print(7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, 2 ^ 10, 7 / 2, 1 << 62, ~5, 5 & 6 | 8, 3 ~ 5)\n"
    "print(math.maxinteger + 1 == math.mininteger, math.tointeger(3.0), 1e15, 0.1 + 0.2, 1 / 0, -1 / 0, 0 / 0 ~= 0 / 0)\n"
    "print(tostring(1e308 * 10), math.floor(-3.5), math.fmod(-7, 3), math.sqrt(2), 10 // 0.0, string.rep('ab', 5, '-'))\n"
    "local co = coroutine.wrap(function(a) for i = 1, 5 do a = coroutine.yield(a * i) end return 'done' end)\n"
    "print(co(2), co(3), co(4), co(5), co(6), co(7))\n"
    "local V = {} V.__index = V\n"
    "V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end\n"
    "V.__tostring = function(a) return 'V(' .. a.x .. ')' end\n"
    "V.__lt = function(a, b) return a.x < b.x end\n"
    "V.__call = function(self, y) return self.x * y end\n"
    "V.__close = function() io.write('closed ') end\n"
    "local a, b = setmetatable({x = 1}, V), setmetatable({x = 2.5}, V)\n"
    "do local c <close> = a end\n"
    "print(tostring(a + b), a < b, b(4), #'length', select('#', 1, nil, 3))\n"
    "print(pcall(error, {code = 7}), select(2, pcall(error, 'message', 0)), pcall(function() local x = nil; return x.y end))\n"
    "print(select(2, xpcall(function() error('deep') end, function(m) return 'handled ' .. m end)))\n"
    "goto skip\n"
    "print('never')\n"
    "::skip::\n"
    "local function queens(n)\n"
    "  local count, columns, up, down = 0, {}, {}, {}\n"
    "  local function place(row)\n"
    "    if row > n then count = count + 1 return end\n"
    "    for c = 1, n do\n"
    "      if not columns[c] and not up[row + c] and not down[row - c + n] then\n"
    "        columns[c], up[row + c], down[row - c + n] = true, true, true\n"
    "        place(row + 1)\n"
    "        columns[c], up[row + c], down[row - c + n] = nil, nil, nil\n"
    "      end\n"
    "    end\n"
    "  end\n"
    "  place(1) return count\n"
    "end\n"
    "print('queens', queens(7))\n"
    "local parts = {}\n"
    "for i = 1, size * 100 do parts[#parts + 1] = tostring(i * 1.5) end\n"
    "local joined = table.concat(parts, ',')\n"
    "local sum = 0\n"
    "for i = 1, #joined do sum = (sum * 31 + joined:byte(i)) % 1000000007 end\n"
    "print('concat', #joined, sum)\n"
    "local function mandel(x, y) local a, b, n = 0.0, 0.0, 0 while a * a + b * b < 4 and n < 50 do a, b, n = a * a - b * b + x, 2 * a * b + y, n + 1 end return n end\n"
    "local total = 0 for i = -20, 10 do for j = -10, 10 do total = total + mandel(i / 10, j / 10) end end\n"
    "print('mandelbrot', total)\n"
    "local weak = setmetatable({}, {__mode = 'k'})\n"
    "for i = 1, size * 50 do weak[{}] = i end\n"
    "collectgarbage() collectgarbage()\n"
    "print('weak', next(weak) == nil)\n"
    "print(utf8.char(228, 8364, 128512), utf8.len('\\u{e4}\\u{20ac}'), string.pack('<i4d', 7, 1.5):byte(1, -1))\n"
    "print(load('return 1 +')) print(load('return ...')(5), os.time{year = 2001, month = 2, day = 3, hour = 12} > 0)\n";

int main(int count, char **arguments) {
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    lua_pushstring(state, count > 1 ? arguments[1] : "10");
    lua_setglobal(state, "arg");
    if (luaL_dostring(state, script)) {
        printf("error: %s\n", lua_tostring(state, -1));
        return 1;
    }
    lua_close(state);
    return 0;
}
