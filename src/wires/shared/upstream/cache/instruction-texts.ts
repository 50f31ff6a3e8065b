import type { CacheBreakpoint, Request } from '../../../../protocol/request.ts'

/** A text of the instructions, and the breakpoint at its end. */
interface InstructionText {
  readonly text: string
  readonly breakpoint: CacheBreakpoint | null
}

/** Line ends between two texts of the instructions, which upstreams add themselves. */
const LINE_ENDS = /^\n+/

/**
 * Cuts the instructions at their breakpoints. Instructions without any are one text, unchanged. Texts of only white
 * space are left out.
 */
export function instructionTexts({
  instructions,
  instruction_breakpoints: breakpoints,
}: Pick<Request, 'instructions' | 'instruction_breakpoints'>): readonly InstructionText[] {
  const whole = instructions ?? ''
  const ends = [
    ...breakpoints.map(({ end, ...breakpoint }) => ({ end, breakpoint })),
    { end: whole.length, breakpoint: null },
  ]
  let start = 0
  const texts = ends.map(({ end, breakpoint }) => {
    const text = start === 0 ? whole.slice(0, end) : whole.slice(start, end).replace(LINE_ENDS, '')
    start = end
    return { text, breakpoint }
  })
  return texts.filter(({ text }) => text.trim() !== '')
}
