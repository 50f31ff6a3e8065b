/** The files of `examples/deploy/`, for its tests. */
import { readdirSync, readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

export const DEPLOY = new URL('../../examples/deploy/', import.meta.url)
export const REPOSITORY = new URL('../../', import.meta.url)

export const readDeployed = (name: string): string => readFileSync(new URL(name, DEPLOY), 'utf8')

/** The documents of a YAML file. Throws an Error that contains its mistakes. */
export function readYaml(name: string): readonly unknown[] {
  return parseAllDocuments(readDeployed(name)).map((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join('\n'))
    return document.toJS() as unknown
  })
}

export const MANIFESTS: readonly string[] = readdirSync(new URL('kubernetes/', DEPLOY)).map(
  (name) => `kubernetes/${name}`,
)

/** The variables of the environment that the configurations name. */
export const VARIABLES = {
  OPENAI_API_KEY: 'key-of-nobody',
  ENCRYPTED_CONTENT_SECRET: 'a secret with more than thirty-two characters',
  REDIS_URL: 'redis://redis:6379',
  OTLP_URL: 'http://collector:4318',
}
