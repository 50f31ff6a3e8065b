/** Returns a name with its next piece: names arrive whole, in pieces, repeated, or longer from piece to piece. */
export function growName(name: string, piece: string): string {
  if (piece === '' || piece === name) return name
  return piece.startsWith(name) ? piece : name + piece
}
