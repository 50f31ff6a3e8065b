import { describe, expect, it } from 'vitest'
import { checkStream } from '../../../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { wireTarget } from '../../../../src/engine/client-target.ts'
import { createTranslation } from '../../../../src/engine/translation.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { PROGRESS_EVENTS } from '../../../../src/protocol/progress.ts'
import { openaiResponses } from '../../../../src/wires/openai-responses/index.ts'
import { CLIENT_WIRES } from '../../../cross-translate.ts'
import { collected, eventsOf, headOf, optionsOf, toBytes, translated } from '../../../engine/run-engine.ts'
import { added, completed, done, ev, type Members, message, textDelta } from '../answers.ts'

const bytesOf = (events: readonly Members[]) =>
  toBytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))

function shownTo(dialect: keyof typeof DIALECTS, events: readonly Members[]) {
  const text = translated(optionsOf(DIALECTS[dialect], {}, 'x', openaiResponses), [bytesOf(events)])
  expect(checkStream(text, DIALECTS[dialect])).toEqual([])
  return eventsOf(text)
}

const outcomeLosses = (events: readonly Members[]) => {
  const stream = createTranslation(optionsOf(DIALECTS.openai, {}, 'x', openaiResponses))
  stream.push(bytesOf(events))
  stream.push('end')
  return stream.outcome().losses
}

const place = { item_id: 'h_1', output_index: 0 }
const step = (name: string, fields: Members = {}) => ev(name, { ...place, ...fields })

const args = (delta: string) => step('mcp_call_arguments.delta', { delta })
const whole = (text: string) => step('mcp_call_arguments.done', { arguments: text })

/** The events of one item of each type, in the order of OpenAI's documents. */
// biome-ignore format: a row a case
const STEPS: Readonly<Record<string, readonly Members[]>> = {
  image_generation_call: [step('image_generation_call.in_progress'), step('image_generation_call.generating'),
    step('image_generation_call.partial_image', { partial_image_index: 0, partial_image_b64: 'aGk=', size: '1x1' }),
    step('image_generation_call.completed')],
  code_interpreter_call: [step('code_interpreter_call.in_progress'), step('code_interpreter_call_code.delta', { delta: '1 +' }),
    step('code_interpreter_call_code.delta', { delta: ' 1' }), step('code_interpreter_call_code.done', { code: '1 + 1' }),
    step('code_interpreter_call.interpreting'), step('code_interpreter_call.completed')],
  mcp_call: [step('mcp_call.in_progress'), step('mcp_call_arguments.delta', { delta: '{"q":' }),
    step('mcp_call_arguments.delta', { delta: '1}' }), step('mcp_call_arguments.done', { arguments: '{"q":1}' }),
    step('mcp_call.completed')],
  mcp_list_tools: [step('mcp_list_tools.in_progress'), step('mcp_list_tools.failed')],
  file_search_call: [step('file_search_call.in_progress'), step('file_search_call.searching'),
    step('file_search_call.completed')],
  apply_patch_call: [step('apply_patch_call_operation_diff.delta', { delta: '+a' }),
    step('apply_patch_call_operation_diff.done', { diff: '+a' })],
  shell_call: [step('shell_call_command.added', { command_index: 0, command: '' }),
    step('shell_call_command.delta', { command_index: 0, delta: 'ls' }),
    step('shell_call_command.done', { command_index: 0, command: 'ls' })],
  shell_call_output: [step('shell_call_output_content.delta', { command_index: 0, delta: { stdout: 'a' } }),
    step('shell_call_output_content.done', { command_index: 0, output: [] })],
  compaction: [step('compaction.compacting')],
}

const streamOf = (type: string, steps: readonly Members[]) => [
  added(0, { type, id: 'h_1', status: 'in_progress' }),
  ...steps,
  done(0, { type, id: 'h_1', status: 'completed' }),
  added(1, message('')),
  textDelta('Done.', 1),
  completed(),
]

const IDS = ['item_id', 'sequence_number']
const without = (event: JsonObject) => Object.fromEntries(Object.entries(event).filter(([key]) => !IDS.includes(key)))

describe('the events of a hosted item', () => {
  it.each(Object.entries(STEPS))('of type %s reach a client of the dialect openai in their order', (type, steps) => {
    const events = shownTo('openai', streamOf(type, steps))
    const from = events.findIndex((event) => event.type === 'response.output_item.added')
    const inside = events.slice(from + 1, from + 1 + steps.length)
    expect(inside.map(without)).toEqual(steps.map((event) => without(event as JsonObject)))
    const item = events[from]?.item as JsonObject
    expect(new Set(inside.map(({ item_id }) => item_id))).toEqual(new Set([item.id]))
    expect(outcomeLosses(streamOf(type, steps))).toEqual([])
  })

  it('are all tested', () => {
    const tested = new Set(Object.keys(STEPS))
    expect(Object.values(PROGRESS_EVENTS).filter(({ of }) => !tested.has(of))).toEqual([])
  })

  it('are left out of the body, of the dialect beta and of other protocols, where the item itself is the loss', () => {
    const events = streamOf('image_generation_call', STEPS.image_generation_call ?? [])
    expect(
      JSON.stringify(collected(optionsOf(DIALECTS.openai, {}, 'x', openaiResponses), [bytesOf(events)])),
    ).not.toContain('partial_image')
    expect(JSON.stringify(shownTo('beta', events))).not.toContain('image')
    for (const to of CLIENT_WIRES) {
      const stream = createTranslation({ wire: openaiResponses, target: wireTarget(to), head: headOf('x') })
      const written = [stream.push(bytesOf(events)), stream.push('end')].map((piece) => new TextDecoder().decode(piece))
      expect(written.join('')).not.toContain('partial_image')
      expect(stream.outcome().losses.filter((loss) => loss !== 'image_generation_call')).toEqual([])
    }
  })

  it('contain the rest of the arguments that no piece had', () => {
    const events = shownTo('openai', streamOf('mcp_call', [args('{"q'), whole('{"q":1}')]))
    expect(events.flatMap(({ type, delta }) => (type === 'response.mcp_call_arguments.delta' ? [delta] : []))).toEqual([
      '{"q',
      '":1}',
    ])
  })

  it.each([
    ['repeated', [step('mcp_call.completed'), step('mcp_call.completed')]],
    ['out of order', [step('mcp_call.completed'), step('mcp_call.in_progress')]],
    ['after the whole arguments', [whole('{}'), args('1')]],
    ['unlike their pieces', [args('{"'), whole('[]')]],
  ])('are a loss if they are %s', (_, steps) => {
    shownTo('openai', streamOf('mcp_call', steps))
    expect(outcomeLosses(streamOf('mcp_call', steps))).toEqual(['a hosted item’s event out of order'])
  })

  it('are a loss outside their item', () => {
    expect(outcomeLosses([step('mcp_call.in_progress'), completed()])).toEqual([
      'mcp_call.in_progress outside its item',
    ])
    const late = streamOf('mcp_call', []).toSpliced(2, 0, step('mcp_call.completed'))
    expect(outcomeLosses(late)).toEqual(['mcp_call.completed outside its item'])
  })
})
