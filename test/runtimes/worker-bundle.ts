import type { BuildOptions } from 'esbuild'

/** The settings of esbuild in Wrangler. */
export const WORKER_BUNDLE = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['browser', 'module', 'main'],
  conditions: ['workerd', 'worker', 'browser', 'import'],
} satisfies BuildOptions
