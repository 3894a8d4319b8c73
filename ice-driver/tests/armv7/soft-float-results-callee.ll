; Results of two and more registers that C does not have, by the base standard.
target triple = "armv7-linux-gnueabi"
define {i32,double} @a(i32 %x, double %y) {
  %1 = insertvalue {i32,double} undef, i32 %x, 0
  %2 = insertvalue {i32,double} %1, double %y, 1
  ret {i32,double} %2
}
define {float,float,float} @b(float %x, float %y, float %z) {
  %1 = insertvalue {float,float,float} undef, float %z, 0
  %2 = insertvalue {float,float,float} %1, float %y, 1
  %3 = insertvalue {float,float,float} %2, float %x, 2
  ret {float,float,float} %3
}
define {float,i64} @c(float %x, i64 %y) {
  %1 = insertvalue {float,i64} undef, float %x, 0
  %2 = insertvalue {float,i64} %1, i64 %y, 1
  ret {float,i64} %2
}
define {double,double} @d([2 x float] %x, [2 x double] %y) {
  %a = extractvalue [2 x float] %x, 1
  %b = extractvalue [2 x double] %y, 1
  %c = fpext float %a to double
  %1 = insertvalue {double,double} undef, double %c, 0
  %2 = insertvalue {double,double} %1, double %b, 1
  ret {double,double} %2
}
define [4 x double] @e([4 x double] %x) {
  ret [4 x double] %x
}
define {<2 x float>, i32} @f(<2 x float> %x, i32 %y) {
  %1 = insertvalue {<2 x float>,i32} undef, <2 x float> %x, 0
  %2 = insertvalue {<2 x float>,i32} %1, i32 %y, 1
  ret {<2 x float>,i32} %2
}
define <2 x double> @g(i32 %y, <2 x double> %x) {
  ret <2 x double> %x
}

declare i32 @caller()
declare void @_exit(i32)
define void @_start() {
  %code = call i32 @caller()
  call void @_exit(i32 %code)
  unreachable
}
