import { LONGEST } from './limits.ts'

/** What became of something that a wire cannot carry as it is: `refused` ends the request, the others go on without it. */
export type LossAction = 'mapped' | 'dropped' | 'refused'

/** A parameter, item or part of a request that its upstream cannot take as it was meant. */
export interface Loss {
  /** The place in the request, e.g. `input[3].content[0]`. */
  readonly path: string
  readonly action: LossAction
  readonly why: string
}

export const dropped = (path: string, why: string): Loss => ({ path, action: 'dropped', why })

/** Sent in another form, or with another value. */
export const mapped = (path: string, why: string): Loss => ({ path, action: 'mapped', why })

/** The same losses, their places told in other words; what has no place there was never asked for. */
export const lossesIn = (losses: readonly Loss[], toPlace: (path: string) => string | null): readonly Loss[] =>
  losses.flatMap((loss) => {
    const path = toPlace(loss.path)
    return path === null ? [] : [{ ...loss, path }]
  })

/** One after the other has happened to the same thing: what is gone in the end is just gone. */
function both(first: Loss, second: Loss): Loss {
  if (first.action !== second.action) return first.action === 'dropped' ? first : second
  return first.action === 'dropped' ? first : { ...first, why: `${first.why}; ${second.why}` }
}

/**
 * What was lost where a request was read, and then where it was written: once for each thing. `later` may tell several
 * things of one place, and each is told; what it tells twice in the same words is one.
 */
export function joinLosses(earlier: readonly Loss[], later: readonly Loss[]): readonly Loss[] {
  const told = new Set(later.map(formatLoss))
  const news = later.filter((loss) => told.delete(formatLoss(loss)))
  const again = new Map(news.map((loss) => [loss.path, loss]))
  const known = new Set(earlier.map(({ path }) => path))
  const joined = earlier.map((loss) => {
    const second = again.get(loss.path)
    return second === undefined ? loss : both(loss, second)
  })
  return [...joined, ...news.filter(({ path }) => !known.has(path))]
}

/** A loss on one line, for logs and headers. */
export const formatLoss = ({ path, action, why }: Loss): string => `${path} ${action}: ${why}`

/** For all that are not told one by one: it has no place, and reads on from the one before. */
const MORE = dropped('and more', `only the first ${LONGEST.losses} are told`)

/** Adds a loss, for as long as there are few: a request that is nothing but losses must not become a log of that size. */
export function note(losses: Loss[], loss: Loss): void {
  if (losses.length < LONGEST.losses) losses.push(loss)
  else if (losses.length === LONGEST.losses) losses.push(MORE)
}

/** As many of them as are told. */
export const toldOf = (losses: readonly Loss[]): readonly Loss[] =>
  losses.length <= LONGEST.losses ? losses : [...losses.slice(0, LONGEST.losses), MORE]

/** Room for the end of a list that is cut. */
const ENDING = `, and ${LONGEST.losses} more`.length

/** What became of which place, in one line of `most` ASCII characters at most: whole entries, and how many are left out. */
export function listLosses(losses: readonly Loss[], most: number): string {
  const all = toldOf(losses).map(({ path, action }) => `${path} ${action}`.replace(/[^\x20-\x7e]/g, '?'))
  const line = all.join(', ')
  if (line.length <= most) return line
  let length = 0
  const kept = all.filter((entry, at) => {
    length += entry.length + (at === 0 ? 0 : ', '.length)
    return length <= most - ENDING
  })
  // Past the bound nobody has counted.
  const left = losses.length > LONGEST.losses ? '' : `${all.length - kept.length} `
  return [...kept, `and ${left}more`].join(', ')
}
