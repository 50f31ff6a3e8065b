import type { Streams } from '../streams.ts'

/** Loads the values that an option or argument may have, in the order in which the help lists them. */
export type Choices = () => Promise<readonly string[]>

/** An option. Its long name is the member of `CommandDefinition.options`. */
export interface OptionDefinition {
  /** The name of its value in the help, in capital letters. Left out: a switch, which has no value. */
  readonly value?: string
  /** A phrase for the help, without a full stop. */
  readonly help: string
  /** The values that it may have. Left out: every text. */
  readonly choices?: Choices
  /** A call without it is refused. */
  readonly isRequired?: true
  /** Other values than `choices` reach the command, which decides about them. */
  readonly isOpen?: boolean
  /** Several values, separated by commas or given one by one. They reach the command separated by commas. */
  readonly isList?: boolean
  /** The value is a path, for the completion of shells. */
  readonly path?: 'file' | 'folder'
}

export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>

/** The values of options by their long names: a text, or `true` for a switch. */
type OptionValues<D extends OptionDefinitions> = {
  readonly [N in keyof D as D[N] extends { readonly isRequired: true } ? N : never]: string
} & {
  readonly [N in keyof D]?: D[N] extends { readonly value: string }
    ? string
    : OptionDefinition extends D[N]
      ? string | true
      : true
}

/** The arguments that are no options. */
interface ArgumentsDefinition {
  /** As in the line of the usage, such as `[FILE...]`. */
  readonly usage: string
  /** The highest number of them. */
  readonly most: number
  /** A sentence for a call with more. */
  readonly remedy: string
  readonly choices?: Choices
  readonly path?: 'file' | 'folder'
}

interface Invocation<Values> {
  readonly args: readonly string[]
  /** The arguments after `--`; empty for commands that do not pass arguments on, which find them in `args`. */
  readonly passed: readonly string[]
  readonly options: Values
  readonly streams: Streams
  readonly commands: readonly CommandDefinition[]
}

/** A command of the program: one file in `commands/`. */
export interface CommandDefinition<D extends OptionDefinitions = OptionDefinitions> {
  readonly name: string
  /** A phrase for the list of commands. */
  readonly summary: string
  /** The paragraphs of its help. */
  readonly description: string
  readonly options: D
  /** Left out: no arguments. */
  readonly args?: ArgumentsDefinition
  /** The name of the arguments after `--` in the help. Left out: they are arguments like any other. */
  readonly passed?: string
  /** Whole lines of a shell. */
  readonly examples: readonly string[]
  /** It runs until a signal stops it, and handles hang-ups and errors of its output itself. */
  readonly isServer?: boolean
  /**
   * Resolves with the exit code; rejects with an Error that has the message for the user. Loads the modules of the command,
   * because every other command has to start without them.
   */
  run(invocation: Invocation<OptionValues<D>>): Promise<number>
}

/** Checks a definition, and gives `run` the types of its options. */
export const defineCommand = <const D extends OptionDefinitions>(
  definition: CommandDefinition<D>,
): CommandDefinition<D> => definition
