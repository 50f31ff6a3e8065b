/**
 * SIGHUP asks a server to read its configuration again. Node ends a process that has no handler for it, and to load this
 * program takes some tenths of a second: so it is held from the first line on, and asked for again when the server runs.
 */
let isPending = false

const hold = (): void => {
  isPending = true
}

export const holdHangUps = (): void => void process.on('SIGHUP', hold)

/** What a hang-up does from now on; one that was held does it at once. */
export function onHangUp(act: () => void): void {
  process.on('SIGHUP', act)
  process.off('SIGHUP', hold)
  if (isPending) act()
  isPending = false
}

/** A hang-up ends the process, as it ends any other; one that was held, too. */
export function releaseHangUps(): void {
  process.off('SIGHUP', hold)
  if (isPending) process.kill(process.pid, 'SIGHUP')
}
