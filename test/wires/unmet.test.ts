import { describe, expect, it } from 'vitest'
import { WIRES } from '../../src/wires/registry.ts'
import { requestOf } from '../requests.ts'
import { targetOf } from '../target.ts'

describe.each(Object.values(WIRES))('$name', (wire) => {
  const placesOf = (fields: object): readonly string[] => {
    const encoded = wire.encodeRequest(requestOf({ ...fields }), targetOf(wire.name))
    return encoded.ok ? encoded.losses.map(({ path }) => path) : ['refused']
  }

  it.each([
    { metadata: {} },
    { text: { verbosity: 'medium' } },
    { presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
    { truncation: 'disabled', service_tier: 'auto', parallel_tool_calls: true, plugins: [] },
  ])('tells no loss of what asks for nothing: %j', (fields) => {
    expect(placesOf(fields)).toEqual([])
  })

  it('carries what does ask, or tells of it', () => {
    const encoded = wire.encodeRequest(
      requestOf({ metadata: { word: 'aword' }, text: { verbosity: 'low' } }),
      targetOf(wire.name),
    )
    const said = JSON.stringify(encoded)
    expect(said).toMatch(/"path":"metadata|aword/)
    expect(said).toMatch(/"path":"text.verbosity"|"verbosity":"low"/)
  })
})
