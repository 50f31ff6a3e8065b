/** The server of one launch, as an agent reaches it. */
export interface AgentSession {
  /** Without a path and without a slash at its end. */
  readonly url: string
  /** The key of this launch. No argument contains it, because other users of the machine can list arguments. */
  readonly key: string
  /** The model of `--model`, which serves every request; null: the names that the agent requests itself. */
  readonly model: SessionModel | null
  readonly vendors: readonly string[]
  /** The kind of login that the settings of the user choose; null if they choose none. */
  readonly login: string | null
}

export interface SessionModel {
  readonly vendor: string
  /** The vendor's own name of the model. */
  readonly model: string
  /** The wire of the vendor, on which nothing of a request is lost. */
  readonly wire: string
}

/** A coding agent: how it is started, and how it is directed to a server without a file. */
export interface Agent {
  /** The name in the command line, which is also the program in PATH. */
  readonly name: string
  /** Its package in the npm registry. */
  readonly package: string
  /** The vendors whose models it requests by default; the first of them also serves names of no other rule. */
  readonly vendors: readonly string[]
  /** A name like those that it requests by default, for rules of the user; null if it has only names of `vendors`. */
  readonly ownModel: string | null
  /** Variables that would direct it to another server, or to a login of its own. */
  readonly removed: readonly string[]
  /** Its settings with the kind of login, in the home of the user and in the folder of the launch. */
  readonly loginFile?: string
  env(session: AgentSession): Readonly<Record<string, string>>
  /** Arguments before those of the user. */
  args(session: AgentSession): readonly string[]
  /** Why it may answer although the server received no request; a clause. */
  readonly bypass: string
}

/** The variable of the key for agents that read it by name. */
export const KEY_VARIABLE = 'MILLRACE_LAUNCH_KEY'

/**
 * The name that an agent displays and requests: bare for a model of its own vendors, whose limits and abilities it has
 * a table of.
 */
export const shownModel = ({ vendor, model }: SessionModel, own: readonly string[]): string =>
  own.includes(vendor) ? model : `${vendor}/${model}`
