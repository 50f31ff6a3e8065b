import { checkCommand } from './commands/check.ts'
import { launchCommand } from './commands/launch.ts'
import { serveCommand } from './commands/serve.ts'
import { traceCommand } from './commands/trace.ts'
import { translateCommand } from './commands/translate.ts'
import type { CommandDefinition } from './program/command.ts'

/** All commands by name, in the order of the help. A new command is a file in `commands/` and a line here. */
export const COMMANDS: ReadonlyMap<string, CommandDefinition> = new Map(
  [serveCommand, launchCommand, translateCommand, checkCommand, traceCommand].map(
    (command): [string, CommandDefinition] => [command.name, command],
  ),
)
