import type { Env } from '../../gateway/config/secrets.ts'
import type { Streams } from '../streams.ts'
import { hasColours } from './terminal.ts'

/** The width of a line in columns, and whether lines have colours. */
export interface LineStyle {
  readonly width: number
  readonly colours: boolean
}

const DEFAULT_WIDTH = 120

/** The width of a terminal; 120 columns for other outputs, and for a terminal that has none. */
export const lineStyle = (stdout: Streams['stdout'], env: Env): LineStyle => ({
  width: (stdout.isTTY === true ? stdout.columns : undefined) || DEFAULT_WIDTH,
  colours: hasColours(stdout, env),
})

export const paint = (text: string, colour: number, { colours }: Pick<LineStyle, 'colours'>): string =>
  colours && text !== '' ? `\u001b[${colour}m${text}\u001b[0m` : text

/** Escapes control characters as JSON does, because a terminal would execute those of a recording. */
export const plain = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) => {
    const codes = Array.from({ length: found.length }, (_, i) => found.charCodeAt(i))
    return codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')
  })

/** Replaces control characters, where the text is no data. */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
