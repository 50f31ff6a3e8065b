import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/**
 * No test judges by the clock: a machine with other work is slower than any figure. A test waits for a condition
 * (`waitUntil`), lets a limit grow (`withEnoughTime`), or moves the clock itself (`stopClock`); `bench/` has the figures.
 * Every read of a clock and every pause counts, because a comparison may be anywhere.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  'test/agents/run-process.ts': 'measures the programs of vendors, on request',
  'test/cli/fake-agent.mjs': 'keeps a program running that ends by a signal',
  'test/complexity/growth.ts': 'npm run test:long compares processor times of one process with each other',
  'test/deploy/built-image.ts': 'a program that bounds the steps of another one',
  'test/fast-path/hard-cases.test.ts':
    'compares processor times of one process with each other: a fault costs a hundredfold',
  'test/host/raw-client.ts': 'paces a client',
  'test/host/recording/fidelity.test.ts': 'notes the times of a clock that the test moves',
  'test/host/server/stalled.test.ts': 'paces a client',
  'test/host/stopped-clock.ts': 'where a stopped clock begins',
  'test/host/telemetry/metrics.test.ts': 'blocks the event loop, and reads when the process started and what it used',
  'test/host/test-server.ts': 'the pause between two looks at a condition, and their bound',
  'test/mock-upstreams/server.ts': 'paces an upstream',
  'test/property.ts': 'prints the duration of a long run',
  'tools/blocked/blocked.ts': 'npm run test:blocked measures loads',
  'tools/blocked/burst-rows.ts': 'npm run test:blocked measures loads',
  'tools/blocked/connection-rows.ts': 'npm run test:blocked measures loads',
  'tools/blocked/poll.ts': 'npm run test:blocked measures loads',
  'tools/blocked/request-rows.ts': 'npm run test:blocked measures loads',
  'tools/blocked/upstream.ts': 'paces an upstream',
  'tools/blocked/thread-time.ts': 'npm run test:blocked measures loads',
  'tools/blocked/watch-loop.ts': 'npm run test:blocked measures loads',
  'tools/chaos/client.ts': 'paces a client',
  'tools/chaos/main.ts': 'the chaos run lasts some minutes, and paces an upstream',
  'tools/fuzz/main.ts': 'the fuzzer runs for some minutes',
  'tools/mutate/find-caught.ts': 'ends after some minutes',
  'tools/mutate/main.ts': 'ends after some minutes',
  'tools/mutate/run-tests.ts': 'ends the tests of a changed loop that never ends',
  'tools/mutate/runner.ts': 'ends a changed loop that never ends',
  'tools/package/smoke.mjs': 'prints a duration',
  'tools/prove/main.ts': 'bounds each proof, and prints its duration',
}

const ROOT = new URL('../', import.meta.url)

/** Comments and literals. */
const NO_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

const FORMS: readonly RegExp[] = [
  /\bperformance\s*\.\s*(?:now|timeOrigin|mark|measure)\b/,
  /\bDate\s*\.\s*now\b|\bnew Date(?!\w|\s*\(\s*[^\s)])|(?<!\.|new )\bDate\(\)/,
  /\bhrtime\b|\buptime\b|\b(?:cpu|threadCpu|resource)Usage\b|\bTemporal\b/,
  /\{[^{}]*\b(?:now|timeOrigin)\b[^{}]*\}\s*=\s*(?:performance|Date)\b/,
  /\b(?:sleep|delay|wait|pause|setTimeout|setInterval|waitForTimeout)\s*\(\s*(?:\d|[A-Z][A-Z_]+\b)/,
  /(?<!function )\b(?:setTimeout|setInterval)\s*\(/,
  /\bAbortSignal\s*\.\s*timeout\b|\bAtomics\s*\.\s*wait(?:Async)?\b/,
]
/** The same functions under other names. Read from the whole text, because the name of the module is a literal. */
const IMPORTS =
  /import(?:(?!import)[^'"])*?(?:\b(?:setTimeout|setInterval|scheduler)\b|\*)(?:(?!import)[^'"])*?from '(?:node:)?timers(?:\/promises)?'|'(?:node:)?perf_hooks'/

/** Returns the first clock or pause of a text, or null. */
function clockIn(text: string): string | null {
  const code = text.replace(NO_CODE, (literal) => (literal.startsWith('/') ? ' ' : "''"))
  for (const form of FORMS) {
    const found = form.exec(code)
    if (found !== null) return found[0]
  }
  return IMPORTS.exec(text)?.[0] ?? null
}

const FILES = ['test/', 'tools/']
  .flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map(
      (file) => folder + file.replaceAll('\\', '/'),
    ),
  )
  .filter((file) => /\.(?:ts|mjs)$/.test(file) && !file.includes('node_modules/') && file !== 'test/clocks.test.ts')
  .sort()
const FOUND = FILES.flatMap((file) => {
  const found = clockIn(readFileSync(new URL(file, ROOT), 'utf8'))
  return found === null ? [] : [{ file, found }]
})

describe('the files of tests and tools', () => {
  it('read no clock and make no pause, except for those with a reason', () => {
    expect(FILES.length).toBeGreaterThan(100)
    expect(FOUND.filter(({ file }) => !Object.hasOwn(ALLOWED, file))).toEqual([])
  })

  it('have no reason that they do not need', () => {
    expect(Object.keys(ALLOWED).filter((file) => !FOUND.some((one) => one.file === file))).toEqual([])
  })
})

describe('a clock or a pause', () => {
  it.each([
    'expect(performance.now() - begun).toBeLessThan(100)',
    'const { now } = performance',
    'const took = Date.now() - startedAt',
    'memoryStore(Date.now)',
    'expect(+new Date() < until).toBe(true)',
    'const at = new Date',
    'const text = Date()',
    'process.hrtime.bigint()',
    'if (process.uptime() > 3) return',
    'process.cpuUsage(before).user',
    'performance.timeOrigin',
    'await sleep(100)',
    'await sleep(SILENCE_MS)',
    'await delay( 5 )',
    'await setTimeout(1)',
    'await new Promise((resolve) => setTimeout(resolve, ms))',
    'setInterval(() => client.write(text), 50)',
    'await page.waitForTimeout(500)',
    'AbortSignal.timeout(1000)',
    'Atomics.wait(cell, 0, 0, 60)',
    "import { setTimeout as rest } from 'node:timers/promises'",
    "import * as timers from 'timers/promises'",
    "import { performance as watch } from 'node:perf_hooks'",
    "import {\n  scheduler,\n} from 'node:timers/promises'",
  ])('is found in %s', (text) => {
    expect(clockIn(text)).not.toBeNull()
  })

  it.each([
    '// performance.now() takes long',
    "vi.spyOn(performance, 'now')",
    "import { setImmediate as nextTurn } from 'node:timers/promises'",
    "import { vi } from 'vitest'\nimport { setImmediate } from 'node:timers'",
    'new Date(2026, 0, 1)',
    'new Date(`$' + '{row}Z`)',
    'Date.UTC(2026, 0, 1)',
    'clearTimeout(timer)',
    "{ name: 'sleep' }",
    'server.headersTimeout = 0',
  ])('is not seen in %s', (text) => {
    expect(clockIn(text)).toBeNull()
  })
})
