import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { writeFrames } from '../../src/dialects/write.ts'
import { pipe } from '../../src/machine/pipe.ts'
import { run } from '../../src/machine/run.ts'
import { createPrinter, printAll } from '../../src/output/frame-printer.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { HostedItemType, Item } from '../../src/protocol/item.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { HOSTED_MEMBERS } from '../../src/responses/hosted-members.ts'
import { respond } from '../../src/responses/respond.ts'
import { lossesOf } from '../../src/responses/state.ts'
import { eventsToDeltas } from '../../src/responses/to-deltas.ts'
import { headOf } from '../engine/run-engine.ts'

const { openai } = DIALECTS
const hub = respond(headOf('x'), openai)
const TYPES = Object.keys(HOSTED_MEMBERS) as HostedItemType[]

const itemOf = (type: HostedItemType, status: string, fields: JsonObject) => ({ type, id: '', status, fields })
const hosted = (type: HostedItemType, fields: JsonObject, done: boolean, status = 'completed'): Delta => ({
  kind: 'hosted',
  key: 'a',
  item: itemOf(type, status, fields),
  done,
})
const FINISHED: Delta = { kind: 'finish', reason: 'stop' }

const streamOf = (deltas: readonly Delta[]): string =>
  new TextDecoder().decode(printAll(createPrinter(), run(pipe(hub, writeFrames(openai)), deltas)))

const itemsOf = (events: readonly Event[], type: 'output_item.added' | 'output_item.done'): readonly Item[] =>
  events.flatMap((event) => (event.type === type ? [event.item] : []))

const fieldsOf = (events: readonly Event[], type: 'output_item.added' | 'output_item.done'): unknown =>
  itemsOf(events, type).map((item) => ('fields' in item ? item.fields : item))[0]

/** The ways in which an item without any of its members can be reported. */
const WAYS = {
  'whole at once': (type) => [hosted(type, {}, true), FINISHED],
  'begun, then done': (type) => [hosted(type, { call_id: 'call_1' }, false), hosted(type, {}, true), FINISHED],
  'begun and never done': (type) => [hosted(type, { call_id: 'call_1' }, false), FINISHED],
  'cut off': (type) => [hosted(type, { call_id: 'call_1' }, false)],
  failed: (type) => [hosted(type, {}, true, 'failed'), FINISHED],
  'incomplete in a completed answer': (type) => [hosted(type, {}, true, 'incomplete'), FINISHED],
  'with a status of its own': (type) => [hosted(type, {}, true, 'cancelled'), FINISHED],
} satisfies Record<string, (type: HostedItemType) => readonly Delta[]>

describe.each(TYPES)('an item %s without members', (type) => {
  it.each(Object.entries(WAYS))('is complete for its type: %s', (_, deltasFor) => {
    const deltas = deltasFor(type)
    expect(checkStream(streamOf(deltas), openai)).toEqual([])
    const events = run(hub, deltas)
    expect(itemsOf(events, 'output_item.added')).toHaveLength(1)
    expect(
      run(
        respond(headOf('x'), openai, (payload) => `${payload}`),
        run(eventsToDeltas, events),
      ),
    ).toEqual(events)
  })
})

describe('an item that begins', () => {
  it('has the names of a call, and none of its content', () => {
    const fields = { call_id: 'call_1', environment: { type: 'local' }, action: { commands: ['ls'], timeout_ms: 9 } }
    const events = run(hub, [hosted('shell_call', fields, true), FINISHED])
    expect(fieldsOf(events, 'output_item.added')).toEqual({
      call_id: 'call_1',
      environment: { type: 'local' },
      action: { commands: [], max_output_length: null, timeout_ms: null },
    })
    expect(fieldsOf(events, 'output_item.done')).toEqual({
      ...fields,
      action: { commands: ['ls'], timeout_ms: 9, max_output_length: null },
    })
  })

  it.each([
    [
      { type: 'update_file', path: 'a.txt', diff: '+b' },
      { type: 'update_file', path: 'a.txt', diff: '' },
    ],
    [
      { type: 'delete_file', path: 'a.txt' },
      { type: 'delete_file', path: 'a.txt' },
    ],
    [undefined, { type: 'update_file', path: '', diff: '' }],
  ])('names the file of a patch %j', (operation, begun) => {
    const fields: JsonObject = operation === undefined ? {} : { operation }
    const events = run(hub, [hosted('apply_patch_call', { call_id: 'call_1', ...fields }, true), FINISHED])
    expect(fieldsOf(events, 'output_item.added')).toEqual({ call_id: 'call_1', operation: begun })
  })

  it('executes nothing if its upstream sent no command for a local shell', () => {
    const events = run(hub, [hosted('local_shell_call', { call_id: 'call_1' }, true), FINISHED])
    expect(fieldsOf(events, 'output_item.done')).toMatchObject({ action: { type: 'exec', command: [], env: {} } })
  })

  it('waits for the id by which its client answers it', () => {
    const call = hosted('shell_call', { call_id: 'call_1' }, true)
    const events = run(hub, [hosted('shell_call', {}, false), call, FINISHED])
    expect(fieldsOf(events, 'output_item.added')).toMatchObject({ call_id: 'call_1' })
    expect(fieldsOf(events, 'output_item.done')).toMatchObject({ call_id: 'call_1' })
  })

  it.each<readonly [string, readonly Delta[]]>([
    [
      'an event',
      [{ kind: 'progress', key: 'a', name: 'shell_call_command.added', fields: { command_index: 0, command: '' } }],
    ],
    ['its end', [{ kind: 'stop', key: 'a' }]],
    ['the end of the answer', []],
  ])('has an id of its own if the upstream sends %s first, and keeps it', (_, deltas) => {
    const events = run(hub, [hosted('shell_call', {}, false), ...deltas, FINISHED])
    const added = fieldsOf(events, 'output_item.added')
    expect(added).toMatchObject({ call_id: expect.stringMatching(/^call_/) })
    expect(fieldsOf(events, 'output_item.done')).toMatchObject({ call_id: (added as JsonObject).call_id })
  })

  it('is in its place if it ends without an id', () => {
    const text: Delta = { kind: 'text', key: 'm', part: '', text: 'Done.', logprobs: null }
    const events = run(hub, [hosted('shell_call', {}, true), text, FINISHED])
    expect(itemsOf(events, 'output_item.done').map(({ type }) => type)).toEqual(['shell_call', 'message'])
  })

  // Clients send these items back, and OpenAI refuses an id that begins with another word.
  it.each([
    ['web_search_call', 'ws_'],
    ['file_search_call', 'fs_'],
    ['code_interpreter_call', 'ci_'],
    ['image_generation_call', 'ig_'],
    ['mcp_call', 'mcp_'],
    ['mcp_list_tools', 'mcpl_'],
    ['mcp_approval_request', 'mcpr_'],
    ['shell_call', 'sh_'],
    ['local_shell_call', 'lsh_'],
    ['apply_patch_call', 'apc_'],
    ['computer_call', 'cu_'],
  ] as const)('of type %s has an id that begins with %s', (type, begin) => {
    const [item] = itemsOf(run(hub, [hosted(type, {}, true), FINISHED]), 'output_item.done')
    expect(item?.id.startsWith(begin)).toBe(true)
  })

  it('keeps its announced call id', () => {
    const events = run(hub, [
      hosted('local_shell_call', { call_id: 'call_1' }, false),
      hosted('local_shell_call', { call_id: 'call_2' }, true),
      FINISHED,
    ])
    expect(fieldsOf(events, 'output_item.done')).toMatchObject({ call_id: 'call_1' })
  })

  it('keeps an empty call_id of an item that no client answers', () => {
    const events = run(hub, [hosted('mcp_call', { call_id: '', name: 'look' }, true), FINISHED])
    expect(fieldsOf(events, 'output_item.done')).toMatchObject({ call_id: '', name: 'look' })
  })
})

describe('a member of another kind', () => {
  it.each([
    ['shell_call', { call_id: 'a', action: 'ls' }],
    ['shell_call', { call_id: 'a', action: { commands: 'ls' } }],
    ['web_search_call', { action: ['x'] }],
    ['mcp_call', { name: 1 }],
  ] as const)('of %s is a recorded loss: %j', (type, fields) => {
    const deltas = [hosted(type, fields, true), FINISHED]
    expect(checkStream(streamOf(deltas), openai)).toEqual([])
    const { state } = deltas.reduce(({ state: before }, delta) => hub.step(before, delta), { state: hub.initial })
    expect(lossesOf(state.response)).toContain(`a ${type} member with another kind`)
  })
})
