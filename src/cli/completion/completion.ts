import { findNamed } from '../names.ts'
import type { CommandDefinition } from '../program/command.ts'
import type { Streams } from '../streams.ts'
import { bashCompletion } from './bash.ts'
import { type CompletedCommand, toCompleted } from './completed-command.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const SHELLS: ReadonlyMap<string, (commands: readonly CompletedCommand[]) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
])

export const SHELL_NAMES: readonly string[] = [...SHELLS.keys()]

/** Prints the completion of a shell. Throws an Error for an unknown shell. */
export async function writeCompletion(
  shell: string | undefined,
  commands: readonly CommandDefinition[],
  { stdout }: Streams,
): Promise<number> {
  if (shell === undefined)
    throw new Error(`completion: the shell is missing. Expected one of: ${SHELL_NAMES.join(', ')}.`)
  const write = findNamed('completion', shell, SHELL_NAMES, (name) => SHELLS.get(name))
  stdout.write(write(await Promise.all(commands.map(toCompleted))))
  return 0
}
