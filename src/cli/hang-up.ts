/**
 * SIGHUP makes a server read its configuration again. Node ends a process that has no handler for SIGHUP, and loading
 * this program takes some tenths of a second. A first handler therefore records the signal from the first line on, and
 * the handler of the running server acts on it.
 */
let isPending = false

const hold = (): void => {
  isPending = true
}

export const holdHangUps = (): void => void process.on('SIGHUP', hold)

/** Sets the action of SIGHUP. A recorded signal runs it at once. */
export function onHangUp(act: () => void): void {
  process.on('SIGHUP', act)
  process.off('SIGHUP', hold)
  if (isPending) act()
  isPending = false
}

/** Restores the default action, which ends the process. A recorded signal ends it at once. */
export function releaseHangUps(): void {
  process.off('SIGHUP', hold)
  if (isPending) process.kill(process.pid, 'SIGHUP')
}
