/**
 * Whether an upstream searches the web by itself, and what it can be told of domains: nothing (`plain`), which ones are
 * `allowed`, `either` which are allowed or which are excluded, or `both`, with wildcards and paths.
 */
export type NativeSearch = 'none' | 'plain' | 'allowed' | 'either' | 'both'
