import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Env, readVariable } from '../../gateway/config/secrets.ts'
import type { Agent } from './agent.ts'

/** The member of the settings of Gemini CLI, whose file has comments. */
const LOGIN = /"selectedType"\s{0,9}:\s{0,9}"([\w-]+)"/

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Reads the kind of login that the agent's own settings choose: those of this folder before those of the user. */
export async function readLogin({ loginFile }: Pick<Agent, 'loginFile'>, env: Env): Promise<string | null> {
  if (loginFile === undefined) return null
  const home = readVariable(env, 'GEMINI_CLI_HOME') || readVariable(env, 'HOME') || homedir()
  const texts = await Promise.all([resolve(loginFile), join(home, loginFile)].map(readText))
  return texts.map((text) => LOGIN.exec(text)?.[1]).find((login) => login !== undefined) ?? null
}
