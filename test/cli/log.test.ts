import { describe, expect, it } from 'vitest'
import { LOG_LEVELS, levelOf, logFrom } from '../../src/cli/log/log-level.ts'
import { openLog } from '../../src/cli/log/open-log.ts'
import { prettyLog } from '../../src/cli/log/pretty-log.ts'
import { hasColours } from '../../src/cli/output/terminal.ts'
import { Journal, summaryOf } from '../../src/gateway/exchange/journal.ts'
import { type LogLine, toLogLine } from '../../src/gateway/telemetry/log.ts'
import { collecting } from './run-command.ts'

const begun = (id: string, method: string) => summaryOf(new Journal(id, method))
const REQUEST = { ...begun('req_1', 'POST'), path: '/v1/responses', status: 200, model: 'm', vendor: 'groq' }
const USAGE = {
  input_tokens: 12,
  output_tokens: 88,
  total_tokens: 100,
  cached_tokens: null,
  reasoning_tokens: null,
}
const LINES: readonly LogLine[] = [
  { event: 'bug', name: 'TypeError' },
  { event: 'connections_refused', count: 3 },
  toLogLine({ ...REQUEST, error: 'overloaded', party: 'upstream' }),
  toLogLine({ ...REQUEST, error: 'not_found', party: 'client' }),
  toLogLine(REQUEST),
  { event: 'listening', url: 'http://127.0.0.1:1', vendors: [] },
  { event: 'configuration', file: '' },
]

describe('the level of a log', () => {
  it('leaves out the less important lines', () => {
    const passed = LOG_LEVELS.map((level) => {
      const kept: number[] = []
      const log = logFrom(level, (line) => kept.push(LINES.indexOf(line)))
      for (const line of LINES) log(line)
      return kept
    })
    expect(passed).toEqual([
      [0, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4, 5],
      [0, 1, 2, 3, 4, 5, 6],
    ])
  })
})

describe('the log for readers', () => {
  const written = (line: LogLine, colours = false, isDetailed = false): string => {
    let text = ''
    prettyLog(
      (part) => (text += part),
      () => new Date(2026, 0, 2, 3, 4, 5, 6).getTime(),
      { colours, isDetailed },
    )(line)
    return text
  }
  const done = toLogLine({
    ...REQUEST,
    outcome: 'completed',
    duration_ms: 312,
    first_token_ms: 120,
    usage: USAGE,
    losses: ['top_k dropped: why', 'seed dropped: why'],
    retries: 1,
  })

  it("has the provider's own message below a refused request, also without details", () => {
    const line = {
      ...toLogLine({ ...REQUEST, status: 400, error: 'invalid_prompt', party: 'upstream' }),
      upstream_message: 'No.',
    }
    expect(written(line)).toMatch(/invalid_prompt \(upstream\)\n +upstream_message: No\.\n$/)
  })

  it('has the attempts with the messages of those that were refused', () => {
    const attempts = [{ vendor: 'groq', upstream_message: 'No.' }, { vendor: 'openai' }]
    expect(written({ ...toLogLine({ ...REQUEST, status: 200 }), attempts })).toMatch(
      /\n +attempts: \{"vendor":"groq","upstream_message":"No\."\}\n +attempts: \{"vendor":"openai"\}\n$/,
    )
    expect(written({ ...toLogLine({ ...REQUEST, status: 200 }), attempts: attempts.slice(1) })).not.toContain(
      'attempts',
    )
  })

  it('has one line for each request', () => {
    expect(written(done)).toBe(
      '03:04:05.006  200  POST /v1/responses  groq/m  completed  312 ms  first token 120 ms  12 in 88 out  1 retry  2 losses\n',
    )
    expect(
      written(toLogLine({ ...REQUEST, status: 502, outcome: 'failed', error: 'overloaded', party: 'upstream' })),
    ).toBe('03:04:05.006  502  POST /v1/responses  groq/m  overloaded (upstream)\n')
    expect(written(toLogLine({ ...begun('req_2', 'GET'), client_gone: true }))).toBe(
      '03:04:05.006  request  GET  client gone\n',
    )
  })

  it('has the other fields of a request below it if they are requested', () => {
    expect(written(done, false, true).split('\n').slice(1)).toEqual([
      '              request_id: req_1',
      '              losses: top_k dropped: why',
      '              losses: seed dropped: why',
      '',
    ])
  })

  it('has every field of another event, and no control characters', () => {
    expect(written({ event: 'listening', url: 'http://127.0.0.1:1', vendors: ['a', 'b'] })).toBe(
      '03:04:05.006  listening  http://127.0.0.1:1  vendors a, b\n',
    )
    expect(written({ event: 'reloaded', restart_needed: [], more: { a: 1 } })).toBe(
      '03:04:05.006  reloaded  restart needed none  more {"a":1}\n',
    )
    const model = 'a\u001b[31m\nb'
    const text = written(toLogLine({ ...REQUEST, model, losses: [model] }), false, true)
    expect(text).toContain('groq/a?[31m?b  1 loss\n')
    expect(text).not.toContain('\u001b')
  })

  it('has colours by level', () => {
    expect(written({ event: 'bug' }, true)).toBe('\u001b[2m03:04:05.006\u001b[0m  \u001b[31mbug\u001b[0m\n')
  })
})

describe('the format of a log', () => {
  const first = (options: Parameters<typeof openLog>[0], isTTY: boolean): string => {
    const { stream, text } = collecting()
    const log = openLog(options, Object.assign(stream, { isTTY }), { NO_COLOR: '1' })
    log({ event: 'configuration' })
    log({ event: 'stopped' })
    return text().replace(/\d/g, '0')
  }

  it('is JSON in a pipe and readable on a terminal, unless it is chosen', () => {
    const [json, pretty] = ['{"time":"0000-00-00T00:00:00.000Z","event":"stopped"}\n', '00:00:00.000  stopped\n']
    expect([first({}, false), first({ log: 'json' }, true)]).toEqual([json, json])
    expect([first({}, true), first({ log: 'pretty' }, false)]).toEqual([pretty, pretty])
    expect(levelOf({ event: 'configuration', file: 'millrace.jsonc' })).toBe('info')
    expect(first({ 'log-level': 'debug', log: 'pretty' }, false)).toBe(`00:00:00.000  configuration\n${pretty}`)
  })
})

it.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '', FORCE_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [false, { FORCE_COLOR: '3', NO_COLOR: '1' }, false],
])('colours on a terminal (%s) with %j are %s', (isTTY, env, expected) => {
  expect(hasColours(Object.assign(collecting().stream, { isTTY }), env)).toBe(expected)
})
