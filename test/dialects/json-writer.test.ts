import { expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { run } from '../../src/machine/run.ts'
import { respond } from '../../src/responses/respond.ts'
import { write } from '../engine/run-dialect.ts'
import { headOf } from '../engine/run-engine.ts'

it('the writer reads the response of created and in_progress only once', () => {
  const [created, working] = run(respond(headOf('x'), openai), [{ kind: 'finish', reason: 'stop' }])
  if (created?.type !== 'created' || working?.type !== 'in_progress') throw new Error('another beginning')
  expect(working.response).toBe(created.response)
  let looked = 0
  const response = new Proxy(created.response, {
    get: (target, name) => {
      if (name === 'model') looked += 1
      return Reflect.get(target, name)
    },
  })
  const text = run(write(openai), [
    { ...created, response },
    { ...working, response },
  ]).join('')
  expect(looked).toBe(1)
  const [first, second] = text
    .split('\n\n')
    .slice(0, 2)
    .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)).response)
  expect(first.model).toBe(created.response.model)
  expect(second).toEqual(first)
})
