import type { AnswerContents, AnswerUsage } from '../../conformance/protocols/answer.ts'
import { hasCutCharacter, pieceFault } from '../../conformance/protocols/answer.ts'
import { show } from '../../conformance/rules.ts'
import { isCount, isSeconds } from '../../conformance/schema.ts'
import { nameOf } from '../../conformance/state.ts'
import { checkWholeResponse } from '../../conformance/terminal-rules.ts'
import { detectDialect, inspectStream } from '../../dialects/check-stream.ts'
import { eventNamesOf } from '../../dialects/event-names.ts'
import { openai } from '../../dialects/openai.ts'
import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../text/json.ts'
import type { CheckedAnswer, FoundViolation } from './findings.ts'
import { readFrames } from './read-frames.ts'

/** Answers of the Responses API: their rules are those of the grammar, and their contents are the last response. */

const TERMINAL = /^response\.(?:completed|incomplete|failed)$/

const SHOWN_TEXT = new TextDecoder('utf-8', { ignoreBOM: true })

export function checkResponseStream(bytes: Uint8Array): CheckedAnswer {
  const text = SHOWN_TEXT.decode(bytes)
  const found = inspectStream(text, detectDialect(text)).violations.map(
    ({ event, rule, message }): FoundViolation => ({ frame: event, rule, message }),
  )
  const events = readFrames('sse', bytes).frames.flatMap(({ data }, frame) => {
    const event = parseJson(data)
    if (!isObject(event)) return []
    const fault = /\.delta$/.test(nameOf(event.type)) ? pieceFault(nameOf(event.delta)) : null
    if (fault !== null) found.push({ frame, rule: 'text', message: fault })
    return [event]
  })
  const last = events.findLast(({ type, response }) => TERMINAL.test(nameOf(type)) && isObject(response))?.response
  const response = isObject(last) ? last : {}
  const failed = events.some(({ type }) => type === 'error')
  return withCounts(found, { ...(response as JsonRecord), ...(failed ? { status: 'failed' } : {}) })
}

const STANDARD = eventNamesOf(openai).events

export function checkResponseBody(value: unknown): CheckedAnswer {
  const found: FoundViolation[] = []
  if (!isObject(value)) return withCounts([{ frame: null, rule: 'json', message: 'the body is not an object' }], {})
  checkWholeResponse(value as JsonObject, STANDARD, (rule, message) => {
    found.push({ frame: null, rule, message })
  })
  return withCounts(found, value)
}

function withCounts(violations: readonly FoundViolation[], response: JsonRecord): CheckedAnswer {
  const summary = summaryOf(response)
  const more: FoundViolation[] = []
  const { usage, created_at: createdAt, model, status } = response
  if (model !== undefined && !isNonEmptyString(model))
    more.push({ frame: null, rule: 'response', message: `model is ${show(model)}` })
  if (!isObject(usage) && (status === 'completed' || status === 'incomplete'))
    more.push({ frame: null, rule: 'usage', message: 'usage is missing' })
  if (createdAt !== undefined && !isSeconds(createdAt))
    more.push({ frame: null, rule: 'response', message: `created_at is ${createdAt}, expected seconds` })
  if (isObject(usage) && isCount(usage.total_tokens) && summary.usage !== null) {
    const sum = summary.usage.input + summary.usage.output
    if (usage.total_tokens !== sum)
      more.push({
        frame: null,
        rule: 'usage',
        message: `total_tokens is ${usage.total_tokens}, but the counts sum up to ${sum}`,
      })
  }
  if (hasCutCharacter(summary.text + summary.reasoning))
    more.push({ frame: null, rule: 'text', message: 'the text has a cut character' })
  return { violations: [...violations, ...more], summary }
}

function usageOf(usage: unknown): AnswerUsage | null {
  if (!isObject(usage)) return null
  const { input_tokens: input, output_tokens: output } = usage
  return isCount(input) && isCount(output) ? { input: input as number, output: output as number } : null
}

const joined = (parts: readonly unknown[], type: string, member: string): string =>
  parts.map((part) => (isObject(part) && part.type === type ? nameOf(part[member]) : '')).join('')

function summaryOf(response: JsonRecord): AnswerContents {
  const items = toArray(response.output).filter(isObject)
  const content = items.flatMap((item) => (item.type === 'message' ? toArray(item.content) : []))
  const reasoning = items.filter(({ type }) => type === 'reasoning')
  const { status, incomplete_details: details } = response
  return {
    text: joined(content, 'output_text', 'text'),
    refusal: joined(content, 'refusal', 'refusal'),
    reasoning: reasoning
      .map(
        (item) =>
          joined(toArray(item.summary), 'summary_text', 'text') +
          joined(toArray(item.content), 'reasoning_text', 'text'),
      )
      .join(''),
    calls: items.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: nameOf(item.call_id), name: nameOf(item.name), arguments: nameOf(item.arguments) }]
        : [],
    ),
    citations: content.flatMap((part) =>
      toArray(isObject(part) ? part.annotations : []).map((one) =>
        isObject(one) ? `${nameOf(one.url)} ${one.start_index}-${one.end_index}` : '',
      ),
    ),
    finish: isObject(details) ? nameOf(details.reason) : nameOf(status),
    usage: usageOf(response.usage),
    failed: status === 'failed',
  }
}
