import { checkCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { explainCommand } from './commands/explain.ts'
import { importCommand } from './commands/import.ts'
import { initCommand } from './commands/init.ts'
import { keyCommand } from './commands/key.ts'
import { launchCommand } from './commands/launch.ts'
import { mockCommand } from './commands/mock.ts'
import { recordCommand } from './commands/record.ts'
import { replayCommand } from './commands/replay.ts'
import { serveCommand } from './commands/serve.ts'
import { traceCommand } from './commands/trace.ts'
import { translateCommand } from './commands/translate.ts'
import { vendorsCommand } from './commands/vendors.ts'
import type { CommandDefinition } from './program/command.ts'

/** All commands by name, in the order of the help. A new command is a file in `commands/` and a line here. */
export const COMMANDS: ReadonlyMap<string, CommandDefinition> = new Map(
  [
    serveCommand,
    launchCommand,
    recordCommand,
    replayCommand,
    translateCommand,
    checkCommand,
    mockCommand,
    traceCommand,
    explainCommand,
    vendorsCommand,
    importCommand,
    initCommand,
    keyCommand,
    completionCommand,
  ].map((command): [string, CommandDefinition] => [command.name, command]),
)
