; Functions of LLVM's fast convention with arguments and results of each kind.
target triple = "i686-linux-gnu"
define fastcc i32 @a(i32 %x,i32 %y,i32 %z) {
  %p = mul i32 %x, 3
  %q = mul i32 %y, 5
  %r = add i32 %p, %q
  %s = add i32 %r, %z
  ret i32 %s
}
define fastcc i64 @b(i32 %y, i64 %x, i32 %z) {
  %p = zext i32 %y to i64
  %q = mul i64 %x, 7
  %r = add i64 %p, %q
  %zz = zext i32 %z to i64
  %s = add i64 %r, %zz
  ret i64 %s
}
define fastcc double @c(double %a,i32 %b,float %c,double %d,double %e,i8 %f, double %g) {
  %1 = sitofp i32 %b to double
  %2 = fpext float %c to double
  %3 = sitofp i8 %f to double
  %4 = fadd double %a, %1
  %5 = fmul double %4, %2
  %6 = fsub double %5, %d
  %7 = fadd double %6, %e
  %8 = fmul double %7, %3
  %9 = fadd double %8, %g
  ret double %9
}
define fastcc {double,float} @d(float %a, i16 signext %b) {
  %1 = sitofp i16 %b to double
  %2 = insertvalue {double,float} undef, double %1, 0
  %3 = insertvalue {double,float} %2, float %a, 1
  ret {double,float} %3
}
define fastcc {i32,i64} @e(i64 %a, i32 %b) {
  %1 = insertvalue {i32,i64} undef, i32 %b, 0
  %2 = insertvalue {i32,i64} %1, i64 %a, 1
  ret {i32,i64} %2
}
define fastcc void @f(ptr sret({i32,i32}) %p, i32 %b, ptr byval([3 x i32]) %q, i32 %c) {
  %1 = getelementptr i32, ptr %q, i32 2
  %2 = load i32, ptr %1
  %3 = add i32 %2, %b
  store i32 %3, ptr %p
  %4 = getelementptr i32, ptr %p, i32 1
  store i32 %c, ptr %4
  ret void
}
define fastcc <4 x float> @g(<4 x float> %a, float %b, <4 x float> %c, <4 x float> %d) {
  %1 = insertelement <4 x float> %a, float %b, i32 1
  %2 = fadd <4 x float> %1, %c
  %3 = fsub <4 x float> %2, %d
  ret <4 x float> %3
}
define fastcc i8 @h(i1 zeroext %z, i8 signext %w, i16 %v) {
  %a = zext i1 %z to i8
  %c = add i8 %a, %w
  %t = trunc i16 %v to i8
  %u = sub i8 %c, %t
  ret i8 %u
}
define fastcc x86_fp80 @k(x86_fp80 %z, i32 %x) {
  %1 = sitofp i32 %x to x86_fp80
  %2 = fmul x86_fp80 %z, %1
  ret x86_fp80 %2
}
define fastcc i32 @n(ptr nest %p, i32 %x, i32 %y, i32 %z) {
  %1 = load i32, ptr %p
  %2 = sub i32 %1, %x
  %3 = mul i32 %2, %y
  %4 = add i32 %3, %z
  ret i32 %4
}
