// The library beside this script, which `assets.ts` serves from its package.
import uPlot from 'uplot';
export default uPlot;
