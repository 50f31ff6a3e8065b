/** The end of the names of the page's files in the package: they are compressed with Brotli, to a third of their size. */
export const PRESSED = '.br'
