import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'

const ORPHAN = { type: 'function_call_output', call_id: 'call_lost', output: 'forty-two' }
const TOOL = { type: 'function', name: 'find', parameters: { type: 'object' } }

describe.each(Object.keys(WIRES) as WireName[])('a request over %s with an output but without its call', (name) => {
  it('sends the output as a message of the user', () => {
    const request = requestOf({ input: [{ role: 'user', content: 'Hi' }, ORPHAN], tools: [TOOL] })
    const encoded = encodeFor(WIRES[name], request, targetOf(name))
    if (!encoded.ok) return expect.unreachable(encoded.error.message)
    expect(JSON.stringify(encoded.body)).toContain('forty-two')
    expect(encoded.losses).toMatchObject([{ path: 'input[1]', action: 'mapped' }])
  })
})
