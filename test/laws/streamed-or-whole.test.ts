import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openaiReasoningText } from '../../src/dialects/openai.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { streamWholeBody } from '../../src/engine/translation.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { ALL_FIXTURES, collected, optionsOf, translated } from '../engine/run-engine.ts'
import { someOf } from '../property.ts'

/** Law 6: the answer is the same, streamed or as one body. */

const VARIABLE = new Set(['id', 'call_id', 'model', 'encrypted_content', 'created_at', 'item_id', 'response_id'])

/** Removes ids and times that a vendor generates anew for each answer. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, it]) => (VARIABLE.has(key) ? [] : [[key, withoutIds(it)]])),
  )
}

const twins = ALL_FIXTURES.filter(({ at }) => existsSync(at('body.json')))
const DIALECT_VARIANTS = [...Object.values(DIALECTS), openaiReasoningText]

describe.each(twins)('law 6, streamed or whole: $name', ({ stream, quirks, name, wire, at }) => {
  const body = readFileSync(at('body.json'), 'utf8')

  it.each(DIALECT_VARIANTS)('collects the same answer from the stream and from the body in $name', (dialect) => {
    const options = optionsOf(dialect, quirks, name, wire)
    const streamed = collected(options, [stream])
    const { body: response, outcome } = translateWholeBody(options, body)
    expect(withoutIds(response)).toEqual(withoutIds(streamed))
    expect(outcome.status).toBe(streamed.status)
  })

  it.each(DIALECT_VARIANTS)('ends a stream made of a whole body with the same response in $name', (dialect) => {
    const options = optionsOf(dialect, quirks, name, wire)
    const text = new TextDecoder().decode(streamWholeBody(options, body).bytes)
    expect(checkStream(text, dialect)).toEqual([])
    expect(closingOf(text)).toEqual(translateWholeBody(options, body).body)
  })
})

it.each(ALL_FIXTURES)('the collected response equals that of the terminal event: $name', (fixture) => {
  const { stream, quirks, name, wire } = fixture
  for (const dialect of someOf(DIALECT_VARIANTS, DIALECT_VARIANTS.length, ALL_FIXTURES.indexOf(fixture))) {
    const options = optionsOf(dialect, quirks, name, wire)
    const bytes = [stream]
    expect(closingOf(translated(options, bytes))).toEqual(collected(options, bytes))
  }
})

function closingOf(text: string): unknown {
  const frames = text
    .split('\n')
    .filter((line) => /^data: \{"type":"response\.(?:completed|incomplete|failed)"/.test(line))
  expect(frames).toHaveLength(1)
  return (JSON.parse(frames[0]?.slice('data: '.length) ?? '{}') as JsonObject).response
}
