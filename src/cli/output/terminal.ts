import type { Env } from '../../gateway/config/secrets.ts'
import type { Streams } from '../streams.ts'

/** The width of a help that is not printed on a terminal, and the greatest one on a terminal. */
const HELP_WIDTH = 100

/** The look of a help: the width in columns, and whether headings are bold. */
export interface HelpStyle {
  readonly width: number
  readonly colours: boolean
}

export const PLAIN_HELP: HelpStyle = { width: HELP_WIDTH, colours: false }

/** Whether an output is a terminal that executes control sequences, which TERM=dumb has not. */
export const hasControls = ({ isTTY = false }: Streams['stdout'], env: Env): boolean => isTTY && env.TERM !== 'dumb'

/**
 * Whether a text of this output has colours. NO_COLOR and FORCE_COLOR decide before the terminal, if they are not empty;
 * FORCE_COLOR=0 switches colours off. Sources: https://no-color.org, https://force-color.org.
 */
export function hasColours(stdout: Streams['stdout'], env: Env): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false
  const forced = env.FORCE_COLOR ?? ''
  return forced === '' ? hasControls(stdout, env) : forced !== '0' && forced !== 'false'
}

export const helpStyle = ({ stdout }: Streams, env: Env): HelpStyle => ({
  width: Math.min(stdout.columns || HELP_WIDTH, HELP_WIDTH),
  colours: hasColours(stdout, env),
})

/** A heading of a help, in bold letters. */
export const bold = (text: string, { colours }: HelpStyle): string => (colours ? `\u001b[1m${text}\u001b[22m` : text)
