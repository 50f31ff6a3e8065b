import { afterAll, describe, expect, it } from 'vitest'
import { DIALECTS } from '../src/dialects/registry.ts'
import { translateWholeBody } from '../src/engine/body-collector.ts'
import type { Outcome } from '../src/engine/outcome.ts'
import { createCalibration } from '../src/engine/token-counts/calibration.ts'
import { measureRequest, type RequestSize } from '../src/engine/token-counts/request-size.ts'
import { createTranslation } from '../src/engine/translation.ts'
import type { JsonObject } from '../src/protocol/json.ts'
import { runSteps } from '../src/text/steps.ts'
import { optionsOf } from './engine/run-engine.ts'
import { RECORDED, RECORDINGS_DIR, type Recorded, readRecorded, readRecordedRequest } from './recordings.ts'

/**
 * Estimates of the tokens of recorded requests, against the counts that the vendors reported for them. The rates of
 * `default-rates.ts` were rounded from the same recordings, so that only the calibration is tested here: each estimate
 * rests on answers to other requests.
 */

interface Counted {
  readonly vendor: string
  readonly model: string
  readonly size: RequestSize
  readonly tokens: number
}

function outcomeOf({ file, wire, quirks, kind }: Recorded): Outcome {
  const options = optionsOf(DIALECTS.openai, quirks, 'x', wire)
  const bytes = readRecorded(file)
  if (kind === 'body') return translateWholeBody(options, new TextDecoder().decode(bytes)).outcome
  const stream = createTranslation(options)
  stream.push(bytes)
  stream.push('end')
  return stream.outcome()
}

/** Items of tools that the vendor ran: their results are input as well, and part of no request. */
const SERVER_TOOLS = /^(?:web_search_call|code_interpreter_call|file_search_call|tool_search_call|mcp_)/

/** Why the tokens of a recording cannot follow from its request; null if they can. */
function obstacleIn(
  request: JsonObject,
  { model, vendor }: Recorded,
  outcome: Outcome,
  size: RequestSize,
): string | null {
  const text = JSON.stringify(request)
  if (!size.isWhole) return 'content beside the request'
  if (outcome.answer?.output.some(({ type }) => SERVER_TOOLS.test(type)) === true) return 'a tool of the vendor'
  if (/REDACTED|redacted_/.test(text)) return 'signatures that its recorder replaced'
  if (/compound|sonar|search/.test(model) || text.includes('web_search')) return 'a search of the vendor'
  return vendor === 'openai' && model.startsWith('llama-cpp') ? 'an invented count' : null
}

const obstacles = new Map<string, number>()

const COUNTED: readonly Counted[] = RECORDED.filter(({ status }) => status === 200).flatMap((recorded) => {
  const request = readRecordedRequest(recorded.file)
  if (request === null) return []
  const outcome = outcomeOf(recorded)
  const tokens = outcome.usage?.input_tokens ?? 0
  if (tokens === 0) return []
  const size = runSteps(measureRequest(request))
  const obstacle = obstacleIn(request, recorded, outcome, size)
  if (obstacle !== null) {
    obstacles.set(obstacle, (obstacles.get(obstacle) ?? 0) + 1)
    return []
  }
  return [{ vendor: `${recorded.vendor} (${recorded.wire.name})`, model: recorded.model, size, tokens }]
})

const KNOWN_ANSWERS = 5
const ORDERS = 20

/** Random numbers from 0 to 1, the same in each run (Lehmer's generator). */
function* randomNumbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647
    yield state / 2_147_483_647
  }
}

function shuffled<T>(list: readonly T[], random: Generator<number, never>): readonly T[] {
  const keyed = list.map((one) => [random.next().value, one] as const)
  return keyed.sort(([one], [other]) => one - other).map(([, one]) => one)
}

/** Relative errors of the estimates after five answers of the same group, in several orders of the answers. */
function errorsOf(group: readonly Counted[]): readonly number[] {
  const random = randomNumbers()
  return Array.from({ length: ORDERS }).flatMap(() => {
    const calibration = createCalibration()
    return shuffled(group, random).flatMap((one, at) => {
      const error = Math.abs(calibration.estimate(one, one.size).tokens / one.tokens - 1)
      calibration.learn(one, one)
      return at < KNOWN_ANSWERS ? [] : [error]
    })
  })
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const groupsBy = (keyOf: (one: Counted) => string): ReadonlyMap<string, readonly number[]> => {
  const groups = new Map<string, Counted[]>()
  for (const one of COUNTED) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return new Map(
    [...groups].filter(([, group]) => group.length > KNOWN_ANSWERS).map(([key, group]) => [key, errorsOf(group)]),
  )
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const lines: string[] = []
afterAll(() => {
  for (const line of lines) process.stdout.write(`${line}\n`)
})

if (COUNTED.length === 0) {
  it('recordings with their requests are in the folder that RECORDINGS_DIR names', ({ skip }) =>
    skip(`There are no requests in ${RECORDINGS_DIR}: set RECORDINGS_DIR to a folder that has some.`))
}

describe.runIf(COUNTED.length > 0)('estimates of the tokens of recorded requests', () => {
  it('are made for most of the recordings', () => {
    const left = [...obstacles.values()].reduce((sum, count) => sum + count, 0)
    lines.push(`${COUNTED.length} recordings have a count that follows from their request, ${left} have not:`)
    for (const [obstacle, count] of obstacles) lines.push(`  ${obstacle}: ${count}`)
    expect(left / (COUNTED.length + left)).toBeLessThan(0.25)
  })

  it('have a median error of at most 10 % after five answers of the vendor', () => {
    const groups = groupsBy(({ vendor }) => vendor)
    for (const [vendor, errors] of groups) lines.push(`${vendor}: ${percent(median(errors))}`)
    const all = [...groups.values()].flat()
    lines.push(`all vendors: ${percent(median(all))}`)
    expect(groups.size).toBeGreaterThan(10)
    expect(median(all)).toBeLessThanOrEqual(0.1)
  })

  it('have a median error of at most 7.5 % after five answers of the model', () => {
    const groups = groupsBy(({ vendor, model }) => `${vendor} ${model}`)
    for (const [model, errors] of groups) lines.push(`${model}: ${percent(median(errors))}`)
    const all = [...groups.values()].flat()
    lines.push(`all models: ${percent(median(all))}`)
    expect(groups.size).toBeGreaterThan(5)
    expect(median(all)).toBeLessThanOrEqual(0.075)
  })

  it('are worse without any answer', () => {
    const errors = COUNTED.map((one) => Math.abs(createCalibration().estimate(one, one.size).tokens / one.tokens - 1))
    lines.push(`without any answer: ${percent(median(errors))}`)
    expect(median(errors)).toBeGreaterThan(0.1)
    expect(median(errors)).toBeLessThan(0.3)
  })
})
