import { listToArray } from '../../../collections/list.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Bag } from '../../../protocol/json.ts'
import { isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import type { Say } from '../../shared/upstream/deltas.ts'
import { upstreamErrorOf } from '../errors.ts'
import { type Ending, INCOMPLETE_REASONS, STATUSES } from '../terms.ts'
import { finishItem, openItem } from './items.ts'
import { type Heard, itemAt, type Story } from './state.ts'
import { toUsage } from './usage.ts'

export const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(error) })

/** Applies the finished response: content that no event had, the usage, and how the response ended. */
export function hearEnd(story: Story, response: Bag, event: Ending, say: Say, quirks: Quirks): Story {
  const listed = toArray(response.output).filter(isObject)
  const told = addOutputText(hearListed(story, listed, say, quirks), response.output_text, say, quirks)
  const usage = toUsage(response.usage)
  if (usage !== null) say.push({ kind: 'usage', usage })
  sayEnding(endingOf(response, event, told), response, say)
  return told
}

const isMessage = ({ type, runs }: Heard): boolean =>
  type === 'message' && listToArray(runs).some(({ text }) => text !== '')

/** OpenAI's libraries add the field `output_text` with all text; some servers write only that field. */
function addOutputText(story: Story, text: unknown, say: Say, quirks: Quirks): Story {
  if (!isText(text) || listToArray(story.items).some(isMessage)) return story
  const message = { type: 'message', content: text }
  return finishItem(openItem(story, null, message, quirks), story.items.length, message, say)
}

/** vLLM ends every response with the event `completed`, so the status decides. If it is unknown, the event decides. */
function endingOf({ status, error }: Bag, event: Ending, { items }: Story): Ending {
  const said = isText(status) ? lookup(STATUSES, status) : undefined
  if (event !== 'open') return said === undefined || said === 'open' ? event : said
  if (said !== undefined) return said
  if (error) return 'failed'
  return items.length > 0 ? 'completed' : 'open'
}

function sayEnding(ending: Ending, response: Bag, say: Say): void {
  switch (ending) {
    case 'completed':
      say.push({ kind: 'finish', reason: 'stop' })
      break
    case 'incomplete':
      say.push({ kind: 'finish', reason: reasonOf(response) })
      break
    case 'failed':
      say.push(
        errorDelta(
          response.error ?? { message: `the response of the upstream is ${wordOf(response.status) || 'failed'}` },
        ),
      )
      break
    case 'open':
      break
  }
}

const reasonOf = ({ incomplete_details: details }: Bag) =>
  (isObject(details) && isText(details.reason) ? lookup(INCOMPLETE_REASONS, details.reason) : undefined) ??
  'max_output_tokens'

/**
 * The list at the end may be empty (ChatGPT's backend), incomplete, or have other ids (GitHub Copilot). Each listed
 * item matches the received item of its id, else the next one of its type. Only items without a match are new.
 */
function hearListed(story: Story, listed: readonly Bag[], say: Say, quirks: Quirks): Story {
  const heard = pair(listToArray(story.items), listed)
  return listed.reduce<Story>((now, item, i) => {
    const at = heard[i] ?? -1
    if (at >= 0) return isSettled(itemAt(now, at)) ? now : finishItem(now, at, item, say)
    return finishItem(openItem(now, null, item, quirks), now.items.length, item, say)
  }, story)
}

/** Whether an item is done and has content. Such an item is not emitted again. */
const isSettled = ({ done, hosted, named, sealed, runs }: Heard): boolean =>
  done && (hosted !== null || named || sealed !== '' || listToArray(runs).some(({ text }) => text !== ''))

/** Items in their order, each of which is taken once. */
interface Taker {
  /** Takes the first item of that name that was not taken; -1 if there is none. */
  take(name: string): number
}

const named = (...words: readonly string[]): string => JSON.stringify(words)

/** O(n) for all items together, under any of their names. */
function createTaker(items: readonly Heard[]): Taker {
  const queues = new Map<string, { readonly places: number[]; next: number }>()
  const taken = new Set<number>()
  const add = (name: string, at: number): void => {
    const queue = queues.get(name)
    if (queue === undefined) queues.set(name, { places: [at], next: 0 })
    else queue.places.push(at)
  }
  items.forEach(({ id, type }, at) => {
    add(named(type, id), at)
    add(named(type), at)
  })
  return {
    take(name) {
      const queue = queues.get(name)
      while (queue !== undefined && queue.next < queue.places.length) {
        const at = queue.places[queue.next] as number
        queue.next += 1
        if (taken.has(at)) continue
        taken.add(at)
        return at
      }
      return -1
    },
  }
}

/** Returns the index of the received item for each listed item; -1 if there is none. */
function pair(items: readonly Heard[], listed: readonly Bag[]): readonly number[] {
  const taker = createTaker(items)
  const byId = listed.map(({ id, type }) => (isText(id) && isText(type) ? taker.take(named(type, id)) : -1))
  return listed.map(({ type }, i) => {
    const at = byId[i] ?? -1
    return at < 0 && isText(type) ? taker.take(named(type)) : at
  })
}
