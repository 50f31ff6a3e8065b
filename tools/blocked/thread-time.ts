import { readFileSync } from 'node:fs'

/** The processor time of this thread in milliseconds; without Linux' schedstat, that of the process. */
export function threadMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

/** The text of the largest body that the server accepts by default, which no program parses in parts without copies. */
const largestBody = (): string => JSON.stringify({ model: 'x', input: 'α'.repeat(15_000_000) })

/** The processor time in milliseconds that `JSON.parse` takes on this machine for the largest body: a median of nine. */
export function largestParseMs(): number {
  const text = largestBody()
  const times = Array.from({ length: 9 }, () => {
    const start = threadMs()
    JSON.parse(text)
    return threadMs() - start
  })
  return times.sort((a, b) => a - b)[4] ?? 0
}
