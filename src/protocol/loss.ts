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

/** The same losses, their places told in other words. */
export const lossesIn = (losses: readonly Loss[], toPlace: (path: string) => string): readonly Loss[] =>
  losses.map((loss) => ({ ...loss, path: toPlace(loss.path) }))

/** A loss on one line, for logs and headers. */
export const formatLoss = ({ path, action, why }: Loss): string => `${path} ${action}: ${why}`

const MORE = dropped('body', `more is lost than the ${LONGEST.losses} things that are told`)

/** Adds a loss, for as long as there are few: a request that is nothing but losses must not become a log of that size. */
export function note(losses: Loss[], loss: Loss): void {
  if (losses.length < LONGEST.losses) losses.push(loss)
  else if (losses.length === LONGEST.losses) losses.push(MORE)
}

/** As many of them as are told. */
export const toldOf = (losses: readonly Loss[]): readonly Loss[] =>
  losses.length <= LONGEST.losses ? losses : [...losses.slice(0, LONGEST.losses), MORE]
