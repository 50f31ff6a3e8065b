/** The text of an answer of the soak, which client and upstream derive from its number. */
export const FEWEST = 80
const SPAN = 41

const WORDS = ['mill', 'grinds', 'river', 'λόγος', 'drop', '“quoted”', 'line\n', 'water 🌊', 'stone', 'wheel']

/** The number of chunks of an answer. */
export const chunksOf = (number: number): number => FEWEST + ((number * 7919) % SPAN)

export const wordOf = (number: number, at: number): string => `${WORDS[(number * 31 + at * 7) % WORDS.length]} ${at} `

export function textOf(number: number): string {
  let text = ''
  for (let at = 0; at < chunksOf(number); at += 1) text += wordOf(number, at)
  return text
}
