import { setFlagsFromString } from 'node:v8'

/**
 * For a process that is only a server: call it once, before the server starts.
 *
 * V8 allocates objects as old from the start if earlier objects of the same site lived long, as all objects do while a
 * server warms up. An old object that is dead then keeps its references alive through minor collections, and soon hardly
 * any object is young. Garbage collection took a third of the processor time.
 *
 * By default, V8 lets the old objects grow to four times the size that survived the last major collection before it
 * collects them again. Copies of a few long answers stay for that long: hundreds of megabytes.
 *
 * A request passes many functions, each of them once or a few times. V8 11 (Node 20) optimises a function after it has
 * run a number of bytes of its code, and later versions after a number of calls. By default either takes thousands of
 * requests. Lower bounds cost more compilation in the first thousand.
 *
 * Buffers count as memory of old objects, and the dead ones among them are released by a minor collection. Since V8 13
 * (Node 24), the young objects may grow to 64 MiB, before to 16: the buffers of a few long answers then cause a major
 * collection first, which costs more than the answers. So an eighth of the 64 MiB is enough for a minor one.
 */
export function setServerFlags(): void {
  const version = Number.parseInt(process.versions.v8, 10)
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString('--heap-growing-percent=50')
  if (version < 12) setFlagsFromString('--interrupt-budget=10000')
  else {
    setFlagsFromString('--invocation-count-for-turbofan=300')
    setFlagsFromString('--minimum-invocations-after-ic-update=100')
  }
  if (version >= 13) setFlagsFromString('--minor-gc-task-trigger=12')
}
