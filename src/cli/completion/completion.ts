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

/** Prints the completion of a shell. Throws an Error for an unknown shell. */
export async function writeCompletion(
  shell: string | undefined,
  commands: readonly CommandDefinition[],
  { stdout }: Streams,
): Promise<number> {
  if (shell === undefined)
    throw new Error(`completion: the shell is missing. Expected one of: ${[...SHELLS.keys()].join(', ')}.`)
  const write = findNamed('completion', shell, [...SHELLS.keys()], (name) => SHELLS.get(name))
  stdout.write(write(await Promise.all(commands.map(toCompleted))))
  return 0
}
