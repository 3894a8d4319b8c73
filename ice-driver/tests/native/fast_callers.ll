; Calls of the functions of the other file, whose results are printed.
target triple = "i686-linux-gnu"
@fmt = constant [9 x i8] c"%d %lld\0A\00"
@ff = constant [7 x i8] c"%.17g\0A\00"
declare i32 @printf(ptr, ...)
declare fastcc i32 @a(i32 ,i32 ,i32 )
declare fastcc i64 @b(i32 , i64 , i32 )
declare fastcc double @c(double ,i32 ,float ,double ,double ,i8 , double )
declare fastcc {double,float} @d(float , i16 signext )
declare fastcc {i32,i64} @e(i64 , i32 )
declare fastcc void @f(ptr sret({i32,i32}) , i32 , ptr byval([3 x i32]) , i32 )
declare fastcc <4 x float> @g(<4 x float> , float , <4 x float> , <4 x float> )
declare fastcc i8 @h(i1 zeroext , i8 signext , i16 )
declare fastcc x86_fp80 @k(x86_fp80 , i32 )
declare fastcc i32 @n(ptr nest , i32 , i32 , i32 )
define i32 @main(i32 %argc, ptr %argv) {
 %x = mul i32 %argc, 1000003
 %x64 = sext i32 %x to i64
 %l = mul i64 %x64, 123456789123
 %dx = sitofp i32 %x to double
 %fx = sitofp i32 %x to float
 %x8 = trunc i32 %x to i8
 %x16 = trunc i32 %x to i16
 %b1 = trunc i32 %argc to i1
 %ra = call fastcc i32 @a(i32 %x, i32 %argc, i32 77)
 call i32 (ptr, ...) @printf(ptr @fmt, i32 %ra, i64 0)
 %rb = call fastcc i64 @b(i32 %x, i64 %l, i32 9)
 call i32 (ptr, ...) @printf(ptr @fmt, i32 1, i64 %rb)
 %rc = call fastcc double @c(double %dx, i32 %x, float 0x3FF8000000000000, double 3.25, double %dx, i8 %x8, double 0.5)
 call i32 (ptr, ...) @printf(ptr @ff, double %rc)
 %rd = call fastcc {double,float} @d(float %fx, i16 signext %x16)
 %rd0 = extractvalue {double,float} %rd, 0
 %rd1 = extractvalue {double,float} %rd, 1
 %rd1d = fpext float %rd1 to double
 call i32 (ptr, ...) @printf(ptr @ff, double %rd0)
 call i32 (ptr, ...) @printf(ptr @ff, double %rd1d)
 %re = call fastcc {i32,i64} @e(i64 %l, i32 %x)
 %re0 = extractvalue {i32,i64} %re, 0
 %re1 = extractvalue {i32,i64} %re, 1
 call i32 (ptr, ...) @printf(ptr @fmt, i32 %re0, i64 %re1)
 %p = alloca {i32,i32}
 %q = alloca [3 x i32]
 %q2 = getelementptr i32, ptr %q, i32 2
 store i32 %x, ptr %q2
 call fastcc void @f(ptr sret({i32,i32}) %p, i32 5, ptr byval([3 x i32]) %q, i32 6)
 %p0 = load i32, ptr %p
 %p1p = getelementptr i32, ptr %p, i32 1
 %p1 = load i32, ptr %p1p
 %p164 = sext i32 %p1 to i64
 call i32 (ptr, ...) @printf(ptr @fmt, i32 %p0, i64 %p164)
 %v0 = insertelement <4 x float> zeroinitializer, float %fx, i32 2
 %rg = call fastcc <4 x float> @g(<4 x float> %v0, float 2.0, <4 x float> %v0, <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>)
 %rg1 = extractelement <4 x float> %rg, i32 1
 %rg2 = extractelement <4 x float> %rg, i32 2
 %rg1d = fpext float %rg1 to double
 %rg2d = fpext float %rg2 to double
 call i32 (ptr, ...) @printf(ptr @ff, double %rg1d)
 call i32 (ptr, ...) @printf(ptr @ff, double %rg2d)
 %rh = call fastcc i8 @h(i1 zeroext %b1, i8 signext %x8, i16 %x16)
 %rh32 = sext i8 %rh to i32
 call i32 (ptr, ...) @printf(ptr @fmt, i32 %rh32, i64 0)
 %xe = sitofp i32 %x to x86_fp80
 %rk = call fastcc x86_fp80 @k(x86_fp80 %xe, i32 3)
 %rkd = fptrunc x86_fp80 %rk to double
 call i32 (ptr, ...) @printf(ptr @ff, double %rkd)
 %rn = call fastcc i32 @n(ptr nest %q2, i32 1, i32 %argc, i32 4)
 call i32 (ptr, ...) @printf(ptr @fmt, i32 %rn, i64 0)
 ret i32 0
}
