target triple = "armv7-linux-gnueabi"
declare {i32,double} @a(i32 %x, double %y)
declare {float,float,float} @b(float %x, float %y, float %z)
declare {float,i64} @c(float %x, i64 %y)
declare {double,double} @d([2 x float] %x, [2 x double] %y)
declare [4 x double] @e([4 x double] %x)
declare {<2 x float>, i32} @f(<2 x float> %x, i32 %y)
declare <2 x double> @g(i32 %y, <2 x double> %x)
define i32 @caller() {
  %a = call {i32,double} @a(i32 7, double 2.5)
  %a1 = extractvalue {i32,double} %a, 1
  %a2 = fptosi double %a1 to i32
  %b = call {float,float,float} @b(float 1.0, float 10.0, float 100.0)
  %b0 = extractvalue {float,float,float} %b, 0
  %b2 = extractvalue {float,float,float} %b, 2
  %b3 = fsub float %b0, %b2
  %b4 = fptosi float %b3 to i32
  %c = call {float,i64} @c(float 3.0, i64 12884901894)
  %c1 = extractvalue {float,i64} %c, 1
  %c2 = lshr i64 %c1, 32
  %c3 = trunc i64 %c2 to i32
  %d = call {double,double} @d([2 x float] [float 1.0, float 4.0], [2 x double] [double 1.0, double 5.0])
  %d0 = extractvalue {double,double} %d, 0
  %d1 = extractvalue {double,double} %d, 1
  %d2 = fadd double %d0, %d1
  %d3 = fptosi double %d2 to i32
  %e = call [4 x double] @e([4 x double] [double 1.0, double 2.0, double 3.0, double 4.0])
  %e0 = extractvalue [4 x double] %e, 3
  %e1 = fptosi double %e0 to i32
  %f = call {<2 x float>, i32} @f(<2 x float> <float 1.0, float 2.0>, i32 30)
  %f0 = extractvalue {<2 x float>, i32} %f, 1
  %g = call <2 x double> @g(i32 1, <2 x double> <double 1.0, double 9.0>)
  %g0 = extractelement <2 x double> %g, i32 1
  %g1 = fptosi double %g0 to i32
  %s1 = add i32 %a2, %b4
  %s2 = add i32 %s1, %c3
  %s3 = add i32 %s2, %d3
  %s4 = add i32 %s3, %e1
  %s5 = add i32 %s4, %f0
  %s6 = add i32 %s5, %g1
  %s7 = sub i32 %s6, 156
  ret i32 %s7
}
