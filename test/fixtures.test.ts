import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../src/dialects/check-stream.ts'
import { DIALECTS } from '../src/dialects/registry.ts'
import { ALL_FIXTURES, collected, optionsOf, translated } from './engine/run-engine.ts'

describe.each(ALL_FIXTURES)('the fixture $wire.name $name', ({ wire, name, stream, quirks, at }) => {
  const pieces = [stream]

  it.each(Object.values(DIALECTS))('has the stored stream in $name, without violations', async (dialect) => {
    const text = translated(optionsOf(dialect, quirks, name, wire), pieces)
    expect(checkStream(text, dialect)).toEqual([])
    await expect(text).toMatchFileSnapshot(fileURLToPath(at(`${dialect.name}.sse`)))
  })

  it('has the stored response as one body', async () => {
    const response = collected(optionsOf(DIALECTS.openai, quirks, name, wire), pieces)
    await expect(`${JSON.stringify(response, null, 2)}\n`).toMatchFileSnapshot(fileURLToPath(at('response.json')))
  })
})
