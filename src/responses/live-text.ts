import { type RespondState, runOf, withPart } from './state.ts'

/** The length of `liveText`. */
export const liveLength = ({ active, text, response }: RespondState): number =>
  active === null ? 0 : runOf(response, active).text.length + text.length

/**
 * The state without the text of the active part, for an answer that is never written. The arguments of a call are kept,
 * because they decide whether it is complete, and a text with citations, whose offsets are counted in it.
 */
export function withoutText(state: RespondState): RespondState {
  const { active, response } = state
  if (active === null || active.kind === 'call') return state
  const part = runOf(response, active)
  if (part.cited !== null) return state
  const rest =
    part.text === '' ? response : withPart(response, active.output_index, active.position, { ...part, text: '' })
  return { active, text: '', response: rest }
}
