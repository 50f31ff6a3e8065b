import { describe, expect, it } from 'vitest'
import { eventsOfBytes } from '../../src/api/events-of-bytes.ts'
import { openai } from '../../src/dialects/openai.ts'
import { openBodyCollector, openEventTranslator, openStreamTranslator } from '../../src/engine/stream-translator.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { openaiChat } from '../../src/wires/openai-chat/index.ts'

const options = {
  wire: openaiChat,
  head: { id: 'resp_1', created_at: 0, model: 'm', echo: EMPTY_ECHO },
  target: dialectTarget(openai),
  limits: LIMITS,
}

const TRANSLATORS = {
  'a translator of bytes': () => openStreamTranslator(options, openFastPath),
  'a translator of events': () => openEventTranslator(options),
  'a collector of a body': () => openBodyCollector(options),
  'a reader of passed events': () => eventsOfBytes(openStreamTranslator(options, null), options),
}

describe('the objects of an answer', () => {
  // V8 makes a hidden class for each object with getters of its own, which keeps the answer behind them alive.
  it.each(Object.entries(TRANSLATORS))('%s has no getters of its own', (_, open) => {
    const own = Object.entries(Object.getOwnPropertyDescriptors(open()))
    expect(own.flatMap(([name, { get }]) => (get === undefined ? [] : [name]))).toEqual([])
  })

  it('keeps the methods of a translator whole when a program takes them out', () => {
    const { push, pushBody, end, abort } = openStreamTranslator(options, null)
    expect([push(new Uint8Array()), pushBody(''), end(), abort()].every(ArrayBuffer.isView)).toBe(true)
  })
})
