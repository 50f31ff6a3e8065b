import type { Config } from '../config/config.ts'

/**
 * The hashes of keys that documents and examples of this project contain, or have contained: everyone can look up the
 * key. Never remove one, because files that were copied from an example still have it.
 */
export const PUBLISHED_KEYS: Readonly<Record<string, string>> = {
  '3b9caeb74f1cb497565b625e0b17a6172a2004a64d0397669c2c4117a20059a8': 'change-me-before-use',
  '6b8436087a96d1a68337f095d32c869b2f04ed741020064f9e76102c3f1d053f': 'a-key-of-your-choice',
  d8b1e8386bb76a37fe33dec47bc7ee9114bdbdb6ea5ed76f6774233568df5203: 'millrace-dev-key',
  '5ca24005b740717ba4f3f6bc48a230700e68c2a4b11ecedb96f169f4efaf1f21': 'KEY',
  c018c41c1afaf2c0b66c64f97d0ee135657b699ad260f299234cd40a5d625e0e: 'from the example configuration',
  '9cc789f622064ac6cfd94d6c26cb23b9e5bb64e5bf3a8f4af23e3883a4dfdf8e': 'from the command line’s transcript',
  '89b0b2cd4dd4e3cb5d2cbd6ad7a3fa29b5cd6b2cb5d4d55b47bc1bdcb2cc8e9a': 'from the recipes',
  '5f2b1d7a3f8f3f67c2d2c3bb9f9f7be8a8c3dd2f0d4e95a1f1a86bd2a1c0b7de': 'from the recipes',
}

/** One line for each key of a configuration that is published, with its path. */
export const publishedKeyProblems = ({ keys }: Pick<Config, 'keys'>): readonly string[] =>
  keys.flatMap(({ sha256 }, index) =>
    Object.hasOwn(PUBLISHED_KEYS, sha256.toLowerCase())
      ? [
          `keys[${index}].sha256: the key is published in the documentation of millrace, so that everyone has it. Make another one (millrace key)`,
        ]
      : [],
  )
