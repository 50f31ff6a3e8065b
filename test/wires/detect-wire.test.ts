import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FIXTURES, listRecordings } from '../../src/host/recording/recordings.ts'
import { detectWire } from '../../src/wires/detect-wire.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ALL_FIXTURES, toBytes } from '../engine/run-engine.ts'

const detectText = (text: string): string | null => detectWire(toBytes(text))

describe('detectWire', () => {
  it.each(Object.values(WIRES))('detects $name in each of its fixtures, streams and bodies', ({ name }) => {
    const streams = ALL_FIXTURES.filter(({ wire }) => wire.name === name)
    expect(streams.length).toBeGreaterThan(3)
    const missed = streams.filter(({ stream }) => detectWire(stream) !== name)
    expect(missed.map(({ at }) => at('stream').pathname)).toEqual([])
    const bodies = [...listRecordings(name)].map((one) => new URL(`${name}/${one}.body.json`, FIXTURES))
    const kept = bodies.filter((url) => existsSync(url))
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.filter((url) => detectWire(readFileSync(url)) !== name).map(({ pathname }) => pathname)).toEqual([])
  })

  it('ignores a byte order mark, comments, blank lines and frames without a shape', () => {
    expect(detectText('\ufeff: hi\n\ndata: {}\n\ndata: {"object":"chat.completion.chunk","choices":[]}\n\n')).toBe(
      'openai-chat',
    )
    expect(detectText('\n\n {"model":"m","message":{"content":"a"},"done":false}\n{"cut')).toBe('ollama-chat')
    expect(detectText('{"damaged\n{"model":"m","message":{"content":"a"},"done":false}\n')).toBe('ollama-chat')
    expect(detectText('[{"candidates":[]},{"candi')).toBe('gemini-generate')
    expect(detectText('event: message_stop\r\ndata: {"type":"message_stop"}')).toBe('anthropic-messages')
  })

  it('detects the wire of a failure, if nothing else decides', () => {
    expect(detectText('data: {"error":{"message":"no"}}\n\n')).toBe('openai-chat')
    expect(detectText('data: {"error":{"message":"no"}}\n\ndata: {"type":"response.created"}\n\n')).toBe(
      'openai-responses',
    )
    expect(detectText('data: {"type":"error","error":{"type":"overloaded_error"}}\n\n')).toBe('anthropic-messages')
    expect(detectText('data: {"type":"error","code":"x","message":"no"}\n\n')).toBe('openai-responses')
    expect(detectText('{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}')).toBe('gemini-generate')
    expect(detectText('{"error":"model not found"}\n')).toBe('ollama-chat')
  })

  it('returns null for what no wire reads', () => {
    const others = [
      '',
      ' \n',
      'data: [DONE]\n\n',
      'data: {"choices":[{"text":"a"}],"object":"text_completion"}\n\ndata: {"choices":[],"object":"text_completion"}\n\n',
      '{"event":"messageStart","data":{"role":"assistant"}}\n',
      '{"is_finished":false,"event_type":"text-generation"}\n',
      '{"id":"a"}\n{"object":"chat.completion"}\n',
      '\0\0\0\0',
      '<html>',
    ]
    expect(others.map(detectText)).toEqual(others.map(() => null))
  })
})
