import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed, PLATFORM } from '../agent.ts'

const PROGRAM = installed(`opencode-${PLATFORM.replace('win32', 'windows')}/bin/opencode`)

const CONTEXT = 100_000
const MODEL = 'a-model'

export const opencode: Agent = {
  title: 'opencode',
  compaction: null,
  fullContext: CONTEXT,
  async configure(setup) {
    await mkdir(`${setup.home}/.config/opencode`, { recursive: true })
    const models = {
      [MODEL]: {
        name: 'A model',
        reasoning: true,
        tool_call: true,
        limit: { context: CONTEXT, output: 4000 },
      },
    }
    const config = {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      model: `gateway/${MODEL}`,
      small_model: `gateway/${MODEL}`,
      provider: {
        gateway: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Gateway',
          options: { baseURL: `${setup.url}/openai/v1`, apiKey: setup.key },
          models,
        },
      },
    }
    await writeFile(`${setup.home}/.config/opencode/opencode.json`, JSON.stringify(config))
  },
  commandOf(setup, prompt, isFirst) {
    return {
      program: PROGRAM,
      args: ['run', ...(isFirst ? [] : ['--continue']), '--format', 'json', '--thinking', '--pure', prompt],
      env: {
        ...environmentOf(setup),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
      folder: setup.folder,
    }
  },
}
