import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { encodeEventStream } from '../../../../src/framing/encode-event-stream.ts'
import type { Frame } from '../../../../src/framing/frame.ts'
import { bedrockConverse } from '../../../../src/wires/bedrock-converse/index.ts'
import { decodeBody, decodeStream } from '../../../../src/wires/bedrock-converse/upstream/stream.ts'
import { collected, optionsOf } from '../../../engine/run-engine.ts'
import { answerOf, bodyOf, deltasOf, frame, frameOf, type Loose, outputOf } from '../converses.ts'

const textOf = (item: Loose): string => item.content.map((part: Loose) => part.text).join('')
const kinds = (items: readonly Loose[]): string[] => items.map(({ type }) => type)

describe('blocks of a bedrock-converse stream', () => {
  it('begin without an announcement if they contain text or reasoning', () => {
    const [reasoning, message] = outputOf(
      frameOf.start,
      frameOf.thought(0, 'Hm.'),
      frameOf.text(1, 'Yes'),
      frameOf.end('end_turn'),
    )
    expect(reasoning).toMatchObject({ type: 'reasoning', summary: [{ text: 'Hm.' }] })
    expect(message).toMatchObject({ type: 'message', content: [{ text: 'Yes' }] })
  })

  it('are one text if blocks of text follow one another', () => {
    const [message, ...more] = outputOf(
      ...[0, 1, 2, 3].flatMap((i) => [frameOf.text(i, `${i}`), frameOf.stop(i)]),
      frameOf.end('end_turn'),
    )
    expect(message.content).toHaveLength(1)
    expect(textOf(message)).toBe('0123')
    expect(more).toEqual([])
  })

  it('are messages of their own if text stands between calls', () => {
    const output = outputOf(
      frameOf.text(0, 'First.'),
      frameOf.stop(0),
      frameOf.tool(1, 't1', 'f'),
      frameOf.input(1, '{}'),
      frameOf.stop(1),
      frameOf.text(2, 'Then.'),
      frameOf.tool(3, 't2', 'f'),
      frameOf.input(3, '{"a":1}'),
      frameOf.stop(3),
      frameOf.end('tool_use'),
    )
    expect(kinds(output)).toEqual(['message', 'function_call', 'message', 'function_call'])
    expect([textOf(output[0]), textOf(output[2])]).toEqual(['First.', 'Then.'])
  })

  it('may end without contentBlockStop', () => {
    const output = outputOf(
      frameOf.text(0, 'Let me'),
      frameOf.tool(1, 't', 'f'),
      frameOf.input(1, '{}'),
      frameOf.end('tool_use'),
    )
    expect(kinds(output)).toEqual(['message', 'function_call'])
    expect(output[1]).toMatchObject({ call_id: 't', arguments: '{}', status: 'completed' })
  })

  it('change only the length in the decoder state during text', () => {
    const machine = decodeStream({})
    const first = machine.step(machine.initial, frameOf.text(0, 'Grüezi')).state
    const second = machine.step(first, frameOf.text(0, '!')).state
    expect(second.progress).toBe(first.progress)
    expect([first.length, second.length]).toEqual([6, 7])
    expect(machine.step(second, frameOf.text(0, '')).state).toBe(second)
  })

  it('are skipped with a loss if they are unknown', () => {
    const deltas = deltasOf(
      frameOf.delta(0, { hologram: {} }),
      frame('somethingNew', {}),
      frame('contentBlockDelta', {}),
    )
    expect(deltas).toEqual([
      { kind: 'loss', feature: 'content hologram' },
      { kind: 'loss', feature: 'event somethingNew' },
    ])
  })

  it('have padding that is never passed on', () => {
    const text = JSON.stringify(answerOf(frameOf.start, frameOf.text(0, 'x'), frameOf.end('end_turn')))
    expect(text).not.toContain('abcdef')
  })
})

describe('calls of a bedrock-converse stream', () => {
  it('have their arguments in fragments, whole, or not at all', () => {
    const output = outputOf(
      frameOf.tool(0, 'a', 'f'),
      ...['', '{"x"', ':1}'].map((piece) => frameOf.input(0, piece)),
      frameOf.stop(0),
      frameOf.tool(1, 'b', 'f', 'tool_use'),
      frameOf.input(1, '{"x":2}'),
      frameOf.stop(1),
      frameOf.tool(2, 'c', 'f'),
      frameOf.input(2, ''),
      frameOf.stop(2),
      frameOf.end('tool_use'),
    )
    expect(output.map((item) => [item.call_id, item.arguments, item.status])).toEqual([
      ['a', '{"x":1}', 'completed'],
      ['b', '{"x":2}', 'completed'],
      ['c', '{}', 'completed'],
    ])
  })

  it('are incomplete if the length cut them, while those before are complete', () => {
    const cut = (piece: string) =>
      outputOf(
        frameOf.tool(0, 'a', 'f'),
        frameOf.input(0, '{"x":1}'),
        frameOf.stop(0),
        frameOf.tool(1, 'b', 'f'),
        frameOf.input(1, piece),
        frameOf.stop(1),
        frameOf.end('max_tokens'),
      )
    expect(cut('{"x":').map(({ status }) => status)).toEqual(['completed', 'incomplete'])
    expect(cut('')[1]).toMatchObject({ arguments: '', status: 'incomplete' })
  })

  it('stay apart with ids of their own if they share name and id', () => {
    const output = outputOf(
      frameOf.tool(0, 'same', 'f'),
      frameOf.input(0, '{"n":1}'),
      frameOf.tool(1, 'same', 'f'),
      frameOf.input(1, '{"n":2}'),
      frameOf.end('tool_use'),
    )
    expect(output.map((item) => item.arguments)).toEqual(['{"n":1}', '{"n":2}'])
    expect(new Set(output.map((item) => item.call_id)).size).toBe(2)
  })

  it('are dropped without a failure if they never started', () => {
    expect(answerOf(frameOf.input(0, '{}'), frameOf.end('tool_use'))).toMatchObject({ status: 'completed', output: [] })
  })
})

describe('hosted tools of a bedrock-converse stream', () => {
  const search = [
    frameOf.tool(0, 's', 'nova_grounding', 'server_tool_use'),
    frameOf.input(0, '{"query":"mills"}'),
    frameOf.stop(0),
    frameOf.result(1, 's'),
    frameOf.delta(1, { toolResult: [{ text: '[HIDDEN]' }] }),
    frameOf.stop(1),
  ]

  it('are no calls of the client, and their hidden results are not passed on', () => {
    const output = outputOf(...search, frameOf.text(2, 'Found.'), frameOf.end('end_turn'))
    expect(kinds(output)).toEqual(['web_search_call', 'message'])
    expect(output[0]).toMatchObject({ status: 'completed', action: { type: 'search', query: 'mills' } })
    expect(JSON.stringify(output)).not.toContain('HIDDEN')
  })

  it('may stand beside calls of the client', () => {
    const output = outputOf(
      frameOf.tool(0, 'c', 'nova_code_interpreter', 'server_tool_use'),
      frameOf.input(0, '{"snippet":'),
      frameOf.input(0, '"6*7"}'),
      frameOf.stop(0),
      frameOf.result(1, 'c'),
      frameOf.delta(1, { toolResult: [{ json: { stdOut: '42', stdErr: 'slow', exitCode: 0 } }] }),
      frameOf.stop(1),
      frameOf.tool(2, 't', 'final', 'tool_use'),
      frameOf.input(2, '{"n":42}'),
      frameOf.stop(2),
      frameOf.end('tool_use'),
    )
    expect(output).toMatchObject([
      { type: 'code_interpreter_call', code: '6*7', outputs: [{ type: 'logs', logs: '42\nslow' }] },
      { type: 'function_call', call_id: 't', name: 'final' },
    ])
  })

  it('may fail, be unknown, or never send a result', () => {
    const [failed] = outputOf(
      frameOf.tool(0, 'x', 'nova_weather', 'server_tool_use'),
      frameOf.stop(0),
      frameOf.result(1, 'x', 'error'),
      frameOf.delta(1, { toolResult: [{ text: 'No weather.' }, { json: { code: 7 } }] }),
      frameOf.stop(1),
      frameOf.end('end_turn'),
    )
    expect(failed).toMatchObject({ type: 'mcp_call', name: 'nova_weather', output: 'No weather.\n{"code":7}' })
    expect(failed.status).toBe('failed')
    const silent = answerOf(...search.slice(0, 3), frameOf.text(2, 'Well.'), frameOf.end('end_turn'))
    expect(silent).toMatchObject({ status: 'completed', output: [{ type: 'web_search_call' }, { type: 'message' }] })
    const orphan = deltasOf(frameOf.result(0, 'nobody'), frameOf.stop(0))
    expect(orphan).toEqual([{ kind: 'loss', feature: 'the result of an unknown tool' }])
  })
})

describe('images of a bedrock-converse stream', () => {
  it('are decoded to items of image generation', () => {
    const [image] = outputOf(
      frame('contentBlockStart', { contentBlockIndex: 0, start: { image: { format: 'png' } } }),
      frameOf.delta(0, { image: { source: { bytes: 'iVBO' } } }),
      frameOf.delta(0, { image: { source: { bytes: 'Rw==' } } }),
      frameOf.stop(0),
      frameOf.end('end_turn'),
    )
    expect(image).toMatchObject({ type: 'image_generation_call', result: 'iVBORw==', output_format: 'png' })
    const body = decodeBody(bodyOf([{ image: { format: 'png', source: { bytes: 'iVBORw==' } } }]), {})
    expect(body[0]).toMatchObject({ kind: 'hosted', item: { fields: { result: 'iVBORw==', output_format: 'png' } } })
  })

  it('are recorded as a loss if they failed', () => {
    const deltas = deltasOf(frameOf.delta(0, { image: { error: { message: 'No.' } } }), frameOf.stop(0))
    expect(deltas).toEqual([{ kind: 'loss', feature: 'an image without content' }])
  })
})

describe('the end of a bedrock-converse answer', () => {
  it.each([
    ['end_turn', 'completed', null],
    ['stop_sequence', 'completed', null],
    ['a_word_of_tomorrow', 'completed', null],
    ['constructor', 'completed', null],
    ['max_tokens', 'incomplete', 'max_output_tokens'],
    ['model_context_window_exceeded', 'incomplete', 'max_output_tokens'],
    ['guardrail_intervened', 'incomplete', 'content_filter'],
    ['content_filtered', 'incomplete', 'content_filter'],
    ['malformed_model_output', 'failed', null],
    ['malformed_tool_use', 'failed', null],
  ])('has for the stop reason %s the status %s', (word, status, reason) => {
    const answer = answerOf(frameOf.start, frameOf.text(0, 'x'), frameOf.end(word))
    expect([answer.status, answer.incomplete_details?.reason ?? null]).toEqual([status, reason])
    if (status === 'failed') expect(answer.error.message).toContain(word)
  })

  it('is a failure if the stop reason announces a call that does not come', () => {
    expect(answerOf(frameOf.start, frameOf.text(0, 'x'), frameOf.end('tool_use')).status).toBe('failed')
  })

  it('is not the stop reason, because usage follows', () => {
    const answer = answerOf(
      frameOf.text(0, 'x'),
      frameOf.end('end_turn'),
      frameOf.usage({ inputTokens: 1, outputTokens: 2 }),
    )
    expect(answer).toMatchObject({ status: 'completed', usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } })
    const early = answerOf(
      frameOf.usage({ inputTokens: 1, outputTokens: 2 }),
      frameOf.text(0, 'x'),
      frameOf.end('end_turn'),
    )
    expect(early.usage.total_tokens).toBe(3)
  })

  it('is a failure without a stop reason', () => {
    expect(answerOf(frameOf.start, frameOf.text(0, 'x'), frameOf.stop(0))).toMatchObject({
      status: 'failed',
      error: { code: 'upstream_truncated' },
    })
    expect(answerOf()).toMatchObject({ status: 'failed', output: [] })
  })

  it('never contains the trace of a guardrail', () => {
    const secret = 'the miller’s name'
    const trace = { guardrail: { modelOutput: [secret] } }
    const frames = [
      frameOf.text(0, '{NAME}'),
      frameOf.end('guardrail_intervened'),
      frame('metadata', { trace, usage: {} }),
    ]
    expect(JSON.stringify([answerOf(...frames), deltasOf(...frames)])).not.toContain(secret)
    const body = { ...(bodyOf([{ text: '{NAME}' }], 'guardrail_intervened') as object), trace }
    expect(JSON.stringify(decodeBody(body, {}))).not.toContain(secret)
  })
})

describe('usage of a bedrock-converse answer', () => {
  const usageOf = (usage: object) => answerOf(frameOf.text(0, 'x'), frameOf.end('end_turn'), frameOf.usage(usage)).usage
  it.each([
    ['plain', { inputTokens: 12, outputTokens: 5, totalTokens: 17 }, [12, 5, 17, 0]],
    [
      'read from the cache',
      { inputTokens: 12, outputTokens: 250, totalTokens: 1290, cacheReadInputTokens: 1028 },
      [1040, 250, 1290, 1028],
    ],
    [
      'written to the cache',
      { inputTokens: 11, outputTokens: 236, totalTokens: 1275, cacheWriteInputTokens: 1028, cacheReadInputTokens: 0 },
      [1039, 236, 1275, 0],
    ],
    [
      'under the older names, which repeat the newer',
      { inputTokens: 1, outputTokens: 1, cacheReadInputTokenCount: 4, cacheWriteInputTokenCount: 8 },
      [13, 1, 14, 4],
    ],
    [
      'under both names, counted once',
      { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 4, cacheReadInputTokenCount: 4 },
      [5, 1, 6, 4],
    ],
    ['that are zero', { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, [0, 0, 0, 0]],
  ])('has the right counts for tokens %s', (_, usage, [input, output, total, cached]) => {
    expect(usageOf(usage)).toMatchObject({
      input_tokens: input,
      output_tokens: output,
      total_tokens: total,
      input_tokens_details: { cached_tokens: cached },
    })
  })

  it('is unknown if its counts are invalid', () => {
    const [delta] = deltasOf(frameOf.usage({ inputTokens: -1, outputTokens: 'many', totalTokens: 1.5 }))
    expect(delta).toEqual({
      kind: 'usage',
      usage: {
        input_tokens: null,
        output_tokens: null,
        total_tokens: null,
        cached_tokens: null,
        reasoning_tokens: null,
      },
    })
  })
})

describe('the bytes of a bedrock-converse stream', () => {
  const bytesOf = (...frames: readonly Frame[]) => new Uint8Array(Buffer.concat(frames.map(encodeEventStream)))
  const responseTo = (bytes: Uint8Array) => collected(optionsOf(DIALECTS.openai, {}, 'x', bedrockConverse), [bytes])

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.subarray(0, -5), 'upstream_truncated'],
    ['spoilt', (bytes: Uint8Array) => bytes.with(bytes.length - 9, 0xff), 'upstream_invalid'],
  ])('fail if they are %s, unless the answer was complete before', (_, damage, code) => {
    const whole = bytesOf(
      frameOf.text(0, 'x'),
      frameOf.end('end_turn'),
      frameOf.usage({ inputTokens: 1, outputTokens: 1 }),
    )
    expect(responseTo(damage(whole))).toMatchObject({ status: 'completed', usage: null })
    const half = bytesOf(frameOf.text(0, 'x'), frameOf.text(0, 'y'), frameOf.end('end_turn'))
    expect(responseTo(damage(half))).toMatchObject({
      status: 'failed',
      error: { code, message: expect.stringContaining('damaged') },
      output: [{ content: [{ text: 'xy' }] }],
    })
  })

  it('give all text of a block, even with a missing or wrong index', () => {
    const output = outputOf(
      frame('contentBlockDelta', { delta: { text: 'no index' } }),
      frame('contentBlockDelta', { contentBlockIndex: {}, delta: { text: ', a wrong one' } }),
      frame('contentBlockStop', {}),
      frameOf.end('end_turn'),
    )
    expect(textOf(output[0])).toBe('no index, a wrong one')
  })
})

describe('members of a bedrock-converse answer that no other protocol has', () => {
  const lossesIn = (fields: object): readonly unknown[] =>
    bedrockConverse
      .decodeBody({ output: { message: { content: [{ text: 'A' }] } }, stopReason: 'end_turn', ...fields }, {})
      .filter(({ kind }) => kind === 'loss')
      .map((delta) => 'feature' in delta && delta.feature)

  it.each([
    [{ additionalModelResponseFields: { seed: 1 } }, ['additionalModelResponseFields']],
    [{ trace: { guardrail: { action: 'NONE' } } }, ['trace']],
    [{ performanceConfig: { latency: 'optimized' } }, ['performanceConfig']],
    [{ performanceConfig: { latency: 'standard' }, metrics: { latencyMs: 9 }, trace: {} }, []],
  ])('are losses unless they are the usual ones: %j', (fields, losses) => {
    expect(lossesIn(fields)).toEqual(losses)
  })

  it('are losses at the end of a stream', () => {
    const frames = [
      frame('messageStop', { stopReason: 'end_turn', additionalModelResponseFields: { seed: 1 } }),
      frame('metadata', { trace: { guardrail: { action: 'NONE' } } }),
    ]
    expect(deltasOf(...frames).filter(({ kind }: Loose) => kind === 'loss')).toEqual([
      { kind: 'loss', feature: 'additionalModelResponseFields' },
      { kind: 'loss', feature: 'trace' },
    ])
  })
})
