import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from './csv-line.ts';

describe('a CSV line (RFC 4180)', () => {
  it('quotes only cells with a comma, semicolon, quote or line break', () => {
    assert.equal(csvLine(['a;=1', '＝1', '＠x']), `"a;=1",'＝1,'＠x\r\n`);
    assert.equal(csvLine(['a', 'b,c', '"', 'd\ne', '雲']), 'a,"b,c","""","d\ne",雲\r\n');
  });

  it('has an apostrophe before each cell that a spreadsheet would evaluate', () => {
    const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '="a","b"', '1-1', ' =1', ''];
    assert.equal(
      csvLine(cells),
      `'=1+1,'+1,'-1,'@SUM(A1),'\t=1,"'\r=1","'=""a"",""b""",1-1, =1,\r\n`,
    );
  });
});
