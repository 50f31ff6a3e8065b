import { describe, expect, it } from 'vitest'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'

describe.each(Object.values(WIRES))('request fields that $name may lack', (wire) => {
  const placesOf = (fields: object): readonly string[] => {
    const encoded = encodeFor(wire, requestOf({ ...fields }), targetOf(wire.name))
    return encoded.ok ? encoded.losses.map(({ path }) => path) : ['refused']
  }

  it.each([
    { metadata: {} },
    { text: { verbosity: 'medium' } },
    { presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
    { truncation: 'disabled', service_tier: 'auto', parallel_tool_calls: true, plugins: [] },
  ])('are no loss with values that have no effect: %j', (fields) => {
    expect(placesOf(fields)).toEqual([])
  })

  it('are sent or recorded as losses if they have an effect', () => {
    const encoded = encodeFor(
      wire,
      requestOf({ metadata: { word: 'aword' }, text: { verbosity: 'low' } }),
      targetOf(wire.name),
    )
    const encodedText = JSON.stringify(encoded)
    expect(encodedText).toMatch(/"path":"metadata|aword/)
    expect(encodedText).toMatch(/"path":"text.verbosity"|"verbosity":"low"/)
  })
})
