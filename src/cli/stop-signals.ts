/** Sets what SIGTERM and SIGINT do: the first lets the open streams finish, the second ends them. */
export type OnStopSignal = (stop: (isAtOnce: boolean) => void) => void

/**
 * Catches SIGTERM and SIGINT from now on. Call it before the first log line: whoever waits for that line may send one at
 * once. A signal that arrives before its action is set runs it then; a second one before that ends the process.
 */
export function holdStopSignals(): OnStopSignal {
  let received = 0
  let act: Parameters<OnStopSignal>[0] | null = null
  const onSignal = (): void => {
    received += 1
    if (act !== null) act(received > 1)
    else if (received > 1) process.exit(1)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  onEndOfShell(() => {
    if (received === 0) onSignal()
  })
  return (stop) => {
    act = stop
    if (received > 0) stop(false)
  }
}

/** Milliseconds between two looks at the parent process. */
const LOOK_MS = 500

/**
 * npm runs a script in a shell, and sends its own signals to that shell, which may end without passing them on. Its
 * program then has another parent.
 */
function onEndOfShell(act: () => void): void {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const shell = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(looking)
    act()
  }, LOOK_MS)
  looking.unref()
}
