// Variables that each thread has its own of.

static u32 array[8] = {0, 0, 0, 0, 0, 55, 66, 77};
_Thread_local u32 thread_variable = 21;
static _Thread_local u32 thread_static;
_Thread_local u64 thread_array[4] = {1, 2, 3, 4};
static _Thread_local u32 *thread_pointer = &array[5];

u32 thread(u32 a) { u32 old = thread_variable; thread_variable = a; thread_static += 3; return old + thread_static; }
u64 thread_index(u8 n, u64 v) { u64 old = thread_array[n & 3]; thread_array[n & 3] = v; return old; }
u32 *help_thread_address(void) { return &thread_variable; }
u32 thread_pointer_value(void) { return *thread_pointer + *help_thread_address(); }
