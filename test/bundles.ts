import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { WIRES } from '../src/wires/registry.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Bundle {
  /** Minified and compressed size in KiB. */
  readonly size: number
  readonly packages: readonly string[]
  readonly files: readonly string[]
}

const made = new Map<string, Promise<Bundle>>()

/** Bundles a module with these contents as an application would, once. */
export function bundle(contents: string): Promise<Bundle> {
  const known = made.get(contents) ?? bundleNow(contents)
  made.set(contents, known)
  return known
}

async function bundleNow(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT },
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
  })
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  )
  const packages = files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  const size = gzipSync(outputFiles[0]?.contents ?? '').length / 1024
  return { size: Math.round(size * 10) / 10, packages: [...new Set(packages)].sort(), files }
}

const toExport = (wire: string): string => wire.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The programs of which the bundles are measured. */
export const BUNDLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(WIRES).map((wire) => [
      `${wire} to openai`,
      `export { createStreamTranslator, dialectTarget } from './src/core.ts'
       export { ${toExport(wire)}Stream } from './src/wires/${wire}/index.ts'
       export { openai } from './src/dialects/openai.ts'`,
    ]),
  ),
  'openai-chat to openai, with the fast path': `
    export { createStreamTranslator, dialectTarget, fastPath } from './src/core.ts'
    export { openaiChatStream } from './src/wires/openai-chat/index.ts'
    export { openai } from './src/dialects/openai.ts'`,
  'openai-chat to anthropic-messages': `
    export { createStreamTranslator, wireTarget } from './src/core.ts'
    export { openaiChatStream } from './src/wires/openai-chat/index.ts'
    export { anthropicMessagesAnswers } from './src/wires/anthropic-messages/index.ts'`,
  'all streams by name': `export { collectResponse, streamEvents, translateStream } from './src/index.ts'`,
  'the provider of the AI SDK': `export * from './src/ai-sdk.ts'`,
  'all of millrace': `export * from './src/index.ts'`,
}
