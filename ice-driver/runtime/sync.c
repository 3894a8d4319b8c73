/* Mutexes, condition variables and semaphores of the oldest programs, behind ICE_SYNC=1.
 *
 * A handle is an index into one table of objects. A mutex is the three-state futex lock of Ulrich
 * Drepper's "Futexes Are Tricky" (free, held, held with waiters), a condition variable a sequence
 * number to wait on, a semaphore a count. Mutexes are not recursive and know no owner.
 */
#include "runtime.h"

#include <limits.h>

enum sync_kind { SYNC_FREE, SYNC_BUSY, SYNC_MUTEX, SYNC_COND, SYNC_SEM };
enum { SYNC_OBJECTS = 1024, MUTEX_FREE = 0, MUTEX_HELD = 1, MUTEX_CONTENDED = 2 };

static struct sync_object {
    u32 kind;
    u32 word;
} sync_objects[SYNC_OBJECTS];

static i32 sync_create(u32 handle, u32 kind, u32 word) {
    for (u32 i = 0; i < SYNC_OBJECTS; i++) {
        u32 expected = SYNC_FREE;
        if (__atomic_compare_exchange_n(&sync_objects[i].kind, &expected, SYNC_BUSY, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            sync_objects[i].word = word;
            __atomic_store_n(&sync_objects[i].kind, kind, __ATOMIC_RELEASE);
            put_u32(handle, i);
            return 0;
        }
    }
    return PEXE_EMFILE;
}

/* The futex word of an object, or NULL when the handle is not of this kind. */
static u32 *sync_word(i32 handle, u32 kind) {
    if ((u32)handle >= SYNC_OBJECTS ||
        __atomic_load_n(&sync_objects[handle].kind, __ATOMIC_ACQUIRE) != kind) {
        return NULL;
    }
    return &sync_objects[handle].word;
}

static i32 sync_destroy(i32 handle, u32 kind) {
    if (sync_word(handle, kind) == NULL) {
        return PEXE_EBADF;
    }
    __atomic_store_n(&sync_objects[handle].kind, SYNC_FREE, __ATOMIC_RELEASE);
    return 0;
}

i32 irt_mutex_create(u32 handle) {
    return sync_create(handle, SYNC_MUTEX, MUTEX_FREE);
}

i32 irt_mutex_destroy(i32 handle) {
    u32 *word = sync_word(handle, SYNC_MUTEX);
    if (word != NULL && __atomic_load_n(word, __ATOMIC_RELAXED) != MUTEX_FREE) {
        return PEXE_EBUSY;
    }
    return sync_destroy(handle, SYNC_MUTEX);
}

i32 irt_mutex_trylock(i32 handle) {
    u32 *word = sync_word(handle, SYNC_MUTEX);
    u32 expected = MUTEX_FREE;
    if (word == NULL) {
        return PEXE_EBADF;
    }
    return __atomic_compare_exchange_n(word, &expected, MUTEX_HELD, 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED)
               ? 0
               : PEXE_EBUSY;
}

i32 irt_mutex_lock(i32 handle) {
    i32 error = irt_mutex_trylock(handle);
    if (error != PEXE_EBUSY) {
        return error;
    }
    u32 *word = &sync_objects[handle].word;
    while (__atomic_exchange_n(word, MUTEX_CONTENDED, __ATOMIC_ACQUIRE) != MUTEX_FREE) {
        ice_futex_wait(word, MUTEX_CONTENDED, NULL);
    }
    return 0;
}

i32 irt_mutex_unlock(i32 handle) {
    u32 *word = sync_word(handle, SYNC_MUTEX);
    if (word == NULL) {
        return PEXE_EBADF;
    }
    if (__atomic_exchange_n(word, MUTEX_FREE, __ATOMIC_RELEASE) == MUTEX_CONTENDED) {
        ice_futex_wake(word, 1);
    }
    return 0;
}

i32 irt_cond_create(u32 handle) {
    return sync_create(handle, SYNC_COND, 0);
}

i32 irt_cond_destroy(i32 handle) {
    return sync_destroy(handle, SYNC_COND);
}

static i32 cond_wake(i32 handle, i32 count) {
    u32 *word = sync_word(handle, SYNC_COND);
    if (word == NULL) {
        return PEXE_EBADF;
    }
    __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
    ice_futex_wake(word, count);
    return 0;
}

i32 irt_cond_signal(i32 handle) {
    return cond_wake(handle, 1);
}

i32 irt_cond_broadcast(i32 handle) {
    return cond_wake(handle, INT_MAX);
}

static i32 cond_wait(i32 handle, i32 mutex, const struct timespec_guest *deadline) {
    u32 *word = sync_word(handle, SYNC_COND);
    if (word == NULL) {
        return PEXE_EBADF;
    }
    u32 sequence = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    i32 error = irt_mutex_unlock(mutex);
    if (error != 0) {
        return error;
    }
    i32 waited = ice_futex_wait(word, sequence, deadline);
    error = irt_mutex_lock(mutex);
    return error != 0 ? error : waited == PEXE_EAGAIN ? 0 : waited;
}

i32 irt_cond_wait(i32 handle, i32 mutex) {
    return cond_wait(handle, mutex, NULL);
}

i32 irt_cond_timed_wait_abs(i32 handle, i32 mutex, u32 timespec) {
    struct timespec_guest deadline;
    i32 error = ice_read_deadline(timespec, &deadline);
    return error != 0 ? error : cond_wait(handle, mutex, &deadline);
}

i32 irt_sem_create(u32 handle, i32 value) {
    return value < 0 ? PEXE_EINVAL : sync_create(handle, SYNC_SEM, (u32)value);
}

i32 irt_sem_destroy(i32 handle) {
    return sync_destroy(handle, SYNC_SEM);
}

i32 irt_sem_post(i32 handle) {
    u32 *word = sync_word(handle, SYNC_SEM);
    if (word == NULL) {
        return PEXE_EBADF;
    }
    u32 count = __atomic_load_n(word, __ATOMIC_RELAXED);
    do {
        if (count == INT_MAX) {
            return PEXE_EOVERFLOW;
        }
    } while (!__atomic_compare_exchange_n(word, &count, count + 1, 0, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    ice_futex_wake(word, 1);
    return 0;
}

i32 irt_sem_wait(i32 handle) {
    u32 *word = sync_word(handle, SYNC_SEM);
    if (word == NULL) {
        return PEXE_EBADF;
    }
    u32 count = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        if (count == 0) {
            ice_futex_wait(word, 0, NULL);
            count = __atomic_load_n(word, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(word, &count, count - 1, 0, __ATOMIC_ACQUIRE,
                                               __ATOMIC_RELAXED)) {
            return 0;
        }
    }
}
