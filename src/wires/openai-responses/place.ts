import type { ContentKind } from '../../protocol/delta.ts'
import type { CallType } from '../../protocol/item.ts'
import { isText } from '../../text/json.ts'
import { type Bag, type Heard, type Run, type Story, toIndex, withItem } from './state.ts'
import { ITEM_OF } from './terms.ts'

/** A place in the story, opened where there was none. */
export interface Placed {
  readonly story: Story
  readonly item: number
  readonly run: number
}

type ItemFields = Pick<Heard, 'index' | 'id' | 'type'> & Partial<Pick<Heard, 'hosted' | 'sealed'>>

export function addItem(
  { model, items, over }: Story,
  { index, id, type, hosted = null, sealed = '' }: ItemFields,
): Story {
  const item: Heard = { key: `${items.length}`, index, id, type, hosted, runs: [], named: false, sealed, done: false }
  return { model, items: [...items, item], over }
}

/**
 * The item of that type that an event speaks of; −1 where there is none. The index decides wherever there is one: ids are
 * made anew with every event at Copilot.
 */
export function findItem({ items }: Story, event: Bag, id: unknown, type: string, open: boolean): number {
  const fits = (item: Heard): boolean => item.type === type && !(open && item.done)
  const index = toIndex(event.output_index)
  if (index !== null) return items.findLastIndex((item) => item.index === index && fits(item))
  const named = isText(id) ? items.findLastIndex((item) => item.id === id && fits(item)) : -1
  return named >= 0 ? named : items.findLastIndex((item) => fits(item) && !item.done)
}

/** As `findItem`; an item that nobody announced is opened. */
export function placeItem(
  story: Story,
  event: Bag,
  type: string,
  open: boolean,
): { readonly story: Story; readonly item: number } {
  const found = findItem(story, event, event.item_id, type, open)
  if (found >= 0) return { story, item: found }
  const id = isText(event.item_id) ? event.item_id : ''
  return { story: addItem(story, { index: toIndex(event.output_index), id, type }), item: story.items.length }
}

export const innerIndex = (event: Bag, of: Run['of']): number | null =>
  of === 'summary' ? toIndex(event.summary_index) : of === 'function_call' ? null : toIndex(event.content_index)

/**
 * The run that an event speaks of. A new index alone does not begin a new run: vLLM counts them up with every token.
 * `open`: what is over is not meant.
 */
export function findRun(runs: readonly Run[], of: Run['of'], index: number | null, open: boolean): number {
  const exact = runs.findLastIndex((run) => run.of === of && run.index === index && !(open && run.done))
  return exact >= 0 ? exact : runs.findLastIndex((run) => run.of === of && !run.done)
}

export function addRun(story: Story, item: number, of: Run['of'], index: number | null): Placed {
  const { runs } = story.items[item] as Heard
  const run: Run = { of, name: `${runs.length}`, index, text: '', cited: [], done: false }
  return { story: withItem(story, item, { runs: [...runs, run] }), item, run: runs.length }
}

export function placeRun(story: Story, event: Bag, of: ContentKind | CallType, open: boolean): Placed {
  const placed = placeItem(story, event, ITEM_OF[of], open)
  const index = innerIndex(event, of)
  const { runs } = placed.story.items[placed.item] as Heard
  const run = findRun(runs, of, index, open)
  return run >= 0 ? { story: placed.story, item: placed.item, run } : addRun(placed.story, placed.item, of, index)
}
