import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { ANSWER_BOUNDS } from '../../src/protocol/limits.ts'
import { isObject, toArray } from '../../src/text/json.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { headOf, optionsOf, toBytes } from '../engine/run-engine.ts'

const chat = (message: object, more: object = {}): string =>
  JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], ...more })

describe('an answer with more source markers than a text may have citations', () => {
  const marks = ANSWER_BOUNDS.citations + 50
  const body = chat({ content: '[1]'.repeat(marks) }, { citations: ['https://a.example/'] })
  const { body: response, outcome } = translateWholeBody(optionsOf(DIALECTS.openai), body)

  it('keeps the maximum of citations, all of its text and the status completed', () => {
    const [item] = toArray(response.output).filter(isObject)
    const [part] = toArray(item?.content).filter(isObject)
    expect(toArray(part?.annotations)).toHaveLength(ANSWER_BOUNDS.citations)
    expect(part?.text).toHaveLength(3 * marks)
    expect(response.status).toBe('completed')
  })

  it('records the further citations as a loss', () => {
    expect(outcome.losses).toContain('citations beyond the limit of one text')
  })
})

describe('a citation of a long span whose source has no text', () => {
  const text = 'word '.repeat(1000)
  const citation = { start: 0, end: text.length, sources: [{ document: { url: 'https://a.example/' }, id: 'd' }] }
  const body = JSON.stringify({
    message: { content: [{ type: 'text', text }], citations: [citation] },
    finish_reason: 'COMPLETE',
  })
  const writtenFor = (name: 'anthropic-messages' | 'gemini-generate'): string => {
    const { client } = WIRES[name]
    if (client === undefined) throw new Error(`${name} has no clients`)
    const options = { wire: WIRES['cohere-chat'], head: headOf('x'), target: wireTarget({ name, client }) }
    return JSON.stringify(translateWholeBody(options, body).body)
  }

  it('repeats the first words of the span for Anthropic clients and only its offsets for Gemini clients', () => {
    expect(writtenFor('anthropic-messages')).toContain(`"cited_text":"${text.slice(0, ANSWER_BOUNDS.cited_text)}"`)
    expect(writtenFor('gemini-generate')).toContain(`"segment":{"startIndex":0,"endIndex":${text.length}}`)
  })
})

describe('an upstream item that is nested deeper than a writer can follow', () => {
  // A longer one is refused before it is decoded: test/laws/long-events.test.ts.
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const item = `{"type":"mcp_call","id":"x","status":"completed","output":${deep}}`
  const wire = WIRES['openai-responses']

  it.each(Object.values(DIALECTS))('fails a whole answer with upstream_invalid in the dialect $name', (dialect) => {
    const { body: response } = translateWholeBody(
      optionsOf(dialect, {}, 'x', wire),
      `{"status":"completed","output":[${item}]}`,
    )
    expect(response).toMatchObject({ status: 'failed', error: { code: 'upstream_invalid' } })
    expect(JSON.stringify(response).length).toBeLessThan(5000)
  })

  it('writes null for the deep field in a stream and records the loss', () => {
    const stream = createTranslation(optionsOf(DIALECTS.openai, {}, 'x', wire))
    const done = `data: {"type":"response.output_item.done","output_index":0,"item":${item}}\n\n`
    const text = new TextDecoder().decode(stream.push(toBytes(done)))
    expect(text).toContain('"output":null')
    expect(stream.outcome().losses).toContain('a field that is nested too deeply')
  })
})
